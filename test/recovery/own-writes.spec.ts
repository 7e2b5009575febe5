import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rounds } from '../support/rounds.js';
import { checkBooks, OrderLoad } from './order-load.js';
import { OwnWrites } from './own-writes.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

const CLIENTS = 2;
/** More where there is time, as in `OWN_WRITES_KILLS=50 npx vitest run test/recovery/own-writes`. */
const KILLS = rounds('OWN_WRITES_KILLS', 1, 50);

describe('a client that asks for what it has just written', () => {
  let site: Site;
  let load: OrderLoad;
  let clients: OwnWrites;
  beforeEach(async () => {
    site = await Site.open();
    load = new OrderLoad('others');
    clients = new OwnWrites();
  });
  afterEach(async () => {
    await site.close();
  }, 120_000);

  const begin = async (leader: ServiceProcess, ...standbys: ServiceProcess[]): Promise<void> => {
    await load.turnTo(leader.url);
    await clients.turnTo(leader.url, ...standbys.map(({ url }) => url));
    await clients.start(CLIENTS);
    load.start();
  };
  /** So many rounds more, however slow the machine is. */
  const untilRounds = async (count: number): Promise<void> => {
    const wanted = clients.rounds + count;
    const deadlineMs = performance.now() + 60_000;
    while (clients.rounds < wanted && clients.contradictions.length === 0) {
      if (performance.now() > deadlineMs) throw new Error(`${clients.rounds} rounds, not ${wanted}`);
      await delay(20);
    }
  };
  const prove = async (service: ServiceProcess): Promise<void> => {
    await clients.finish();
    await load.finish();
    expect(clients.contradictions).toEqual([]);
    await load.check(service.url);
    const books = await checkBooks(service.client());
    expect(await service.stop()).toBe(0);
    const { code, said } = await site.verify();
    expect({ code, said }).toMatchObject({
      code: 0,
      said: expect.stringContaining(books.state_hash) as string,
    });
  };

  it(
    'sees it, under load and across kills',
    async () => {
      let service = await site.start();
      await begin(service);
      await untilRounds(10);
      // While somebody leads nobody is sent away.
      expect(clients.refused).toBe(0);
      for (let kill = 0; kill < KILLS; kill++) {
        await delay(Math.random() * 200);
        await service.kill();
        service = await site.start();
        await load.turnTo(service.url);
        await clients.turnTo(service.url);
        await untilRounds(4);
      }
      await prove(service);
      process.stderr.write(`${clients.rounds} rounds of own writes across ${KILLS} kills\n`);
    },
    120_000 + KILLS * 20_000,
  );

  it('sees it in the tables of another process, too', async () => {
    const first = await site.start();
    const second = await site.start();
    await begin(first, second);
    await untilRounds(8);
    expect(clients.refused).toBe(0);
    expect(clients.shown.get(second.url)).toBeGreaterThan(10);
    await first.kill();
    await load.turnTo(second.url);
    await clients.turnTo(second.url);
    await untilRounds(4);
    await prove(second);
  }, 180_000);
});
