import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rounds } from '../support/rounds.js';
import { checkBooks, OrderLoad } from './order-load.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

/** More where there is time, as in `CONNECTION_CUTS=2000 npx vitest run test/recovery`. */
const CUTS = rounds('CONNECTION_CUTS', 20, 400);

/** In turns, so that each cut meets the others in different states. */
const ALL = ['writer', 'reader', 'projector'] as const;

describe('the connections of the core cut under load', () => {
  let site: Site;
  let service: ServiceProcess;
  beforeAll(async () => {
    site = await Site.open();
    service = await site.start();
  });
  afterAll(async () => {
    await site.close();
  }, 180_000);

  it.each([
    { what: 'the writer’s during commits as they come', connections: ['writer'], lingerMs: 0 },
    { what: 'all of them in turns', connections: ALL, lingerMs: 0 },
    { what: 'the writer’s during commits that linger', connections: ['writer'], lingerMs: 10 },
  ] as const)(
    '($what) leave no order lost, doubled, or shown without being there',
    async ({ what, connections, lingerMs }) => {
      if (lingerMs > 0) await site.slowCommits(lingerMs);
      const load = new OrderLoad(what.replace(/\W/g, ''));
      await load.turnTo(service.url);
      load.start();
      let cuts = 0;
      const deadlineMs = performance.now() + 120_000 + CUTS * 500;
      while (cuts < CUTS && performance.now() < deadlineMs) {
        // However slow the machine is, some orders must be acknowledged between two cuts.
        const before = load.acknowledged.size;
        while (load.acknowledged.size === before && performance.now() < deadlineMs) await delay(5);
        await delay(Math.random() * 80);
        cuts += await site.cut(connections[cuts % connections.length]!);
      }
      expect(cuts).toBeGreaterThanOrEqual(CUTS);
      await load.finish();

      await load.check(service.url);
      await load.checkRepeats(40);
      const books = await checkBooks(service.client());
      const { code, said } = await site.verify();
      expect({ code, said }).toMatchObject({
        code: 0,
        said: expect.stringContaining(books.state_hash) as string,
      });
      // Every request was answered, if only with a retry: the cut connection is not the client's.
      expect(load.broken).toEqual([]);
      process.stderr.write(`${cuts} cuts: ${load.acknowledged.size} orders acknowledged, 0 lost\n`);
    },
    180_000 + CUTS * 1_000,
  );

  it('verifies from a checkpoint while the service runs', async () => {
    expect(await site.verify('--checkpoint')).toMatchObject({ code: 0 });
    const api = service.client();
    const token = await api.authorize('demo:demo-secret');
    const order = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '1', size: '1' };
    await api.expect(201, 'POST', '/orders', { token, json: order });
    api.close();
    const { code, said } = await site.verify('--from-checkpoint');
    expect({ code, said }).toMatchObject({
      code: 0,
      said: expect.stringContaining('Verified: 1 journal rows') as string,
    });
  });

  it('names the row where somebody has edited the journal', async () => {
    const [row] = await site.query<{ last_sequence: string }>(
      `UPDATE journal SET commands = replace(commands, 'buy', 'sell')
       WHERE last_sequence = (SELECT max(last_sequence) FROM journal) RETURNING last_sequence`,
    );
    const { code, said } = await site.verify();
    expect({ code, said }).toMatchObject({
      code: 1,
      said: expect.stringContaining(`row of sequence ${row!.last_sequence}`) as string,
    });
  });
});
