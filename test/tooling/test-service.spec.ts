import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestService } from '../../src/testing/index.js';
import { callerFor } from '../support/caller.js';
import { eventually } from '../support/eventually.js';

const HOUR_MS = 3_600_000;
const LATE_MS_MAX = 600_000;
const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '100', size: '0.01' };

describe('TestService', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.close());

  const ahead = async (): Promise<{ process: number; database: number }> => {
    const [row] = await service.query<{ now: Date; clock: Date; statement: Date }>(
      'SELECT now(), clock_timestamp() AS clock, statement_timestamp() AS statement',
    );
    expect(Math.abs(row!.now.getTime() - row!.clock.getTime())).toBeLessThan(LATE_MS_MAX);
    expect(row!.now).toEqual(row!.statement);
    const { time } = (await service.anonymous.get('/time')).body;
    return { process: Date.parse(time) - Date.now(), database: row!.now.getTime() - Date.now() };
  };

  it('lets time pass for what waits by it, in the processes and in the database alike', async () => {
    const demo = await callerFor(service.url, 'demo');
    const alice = await service.as('alice');
    const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();
    const gtd = (hours: number) => demo.place({ ...ORDER, time_in_force: 'GTD', expires_at: inHours(hours) });
    const [soon, later] = [await gtd(2), await gtd(72)];
    for (const each of Object.values(await ahead())) expect(Math.abs(each)).toBeLessThan(LATE_MS_MAX);

    await service.clock.advance(3 * HOUR_MS);
    for (const each of Object.values(await ahead()))
      expect(Math.abs(each - 3 * HOUR_MS)).toBeLessThan(LATE_MS_MAX);
    const again = await callerFor(service.url, 'demo');
    const statusOf = async (id: string): Promise<string> => (await again.get(`/orders/${id}`)).body.status;
    await eventually(async () => expect(await statusOf(soon.order_id)).toBe('expired'));
    expect(await statusOf(later.order_id)).toBe('open');
    expect((await alice.get('/accounts')).status).toBe(200);

    // Time goes on from there, after a power failure too, and never back.
    await service.kill();
    await service.restart();
    await service.clock.advance(1);
    for (const each of Object.values(await ahead()))
      expect(Math.abs(each - 3 * HOUR_MS)).toBeLessThan(LATE_MS_MAX);
    for (const ms of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(service.clock.advance(ms)).rejects.toThrow(RangeError);
  });

  it('runs several processes, loses one, and has as many again', async () => {
    const urls = await service.processes(2);
    expect(new Set(urls).size).toBe(2);
    await service.kill(0);
    expect(service.url).toBe(urls[1]);
    await service.restart();
    expect(await service.processes(2)).toHaveLength(2);
    expect(await service.processes(1)).toEqual([service.url]);
  });
});
