import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { rounds } from '../support/rounds.js';
import { GroupLoad } from './group-load.js';
import { checkBooks, checkPublicJournal, OrderLoad } from './order-load.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

/** More rounds where there is time, as in `CRASH_ROUNDS=50 npx vitest run test/recovery`. */
const ROUNDS = rounds('CRASH_ROUNDS', 2, 20);
/** Two more kills follow, at the settlement and at its correction. */
const GROUP_ROUNDS = rounds('CRASH_ROUNDS', 1, 20);
const FIRST_START_KILLS = rounds('FIRST_START_KILLS', 4, 24);

describe('kill -9 under load', () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(async () => {
    await site.close();
  }, 180_000);

  /** Places orders throughout, strikes repeatedly, and compares the state with the acknowledgements. */
  const strike = async (
    name: string,
    blow: (service: ServiceProcess) => Promise<ServiceProcess>,
  ): Promise<void> => {
    let service = await site.start();
    await site.slowCommits(10);
    const load = new OrderLoad(name);
    await load.turnTo(service.url);
    load.start();
    for (let round = 0; round < ROUNDS; round++) {
      await delay(700 + Math.random() * 500);
      const before = load.acknowledged.size;
      service = await blow(service);
      if (service.url !== '') await load.turnTo(service.url);
      await eventually(() => load.acknowledged.size > before + 20, 'orders are answered again');
    }
    // However slow the machine is: with few orders nothing would be shown.
    await eventually(() => load.acknowledged.size > 100, 'enough orders are answered');
    await load.finish();

    await load.check(service.url);
    await load.checkRepeats(40);
    const books = await checkBooks(service.client());
    await checkPublicJournal(service.client(), books.sequence);
    expect(load.repeated).toBeGreaterThan(0);
    expect(await service.stop()).toBe(0);
    const { code, said } = await site.verify();
    expect({ code, said }).toMatchObject({
      code: 0,
      said: expect.stringContaining(books.state_hash) as string,
    });
    process.stderr.write(`${name}: ${ROUNDS} kills, ${load.acknowledged.size} orders acknowledged, 0 lost\n`);
  };

  it(
    'of the app loses nothing that was acknowledged',
    () =>
      strike('app', async (service) => {
        await service.kill();
        return site.start();
      }),
    180_000 + ROUNDS * 20_000,
  );

  it(
    'of PostgreSQL loses nothing, and the app brings it back',
    () =>
      strike('postgres', async (service) => {
        (await site.aimAtPostgres()).kill();
        return service;
      }),
    180_000 + ROUNDS * 20_000,
  );

  it(
    'of both at once loses nothing',
    () =>
      strike('both', async (service) => {
        const postgres = await site.aimAtPostgres();
        // Both at once, so that a commit in flight is cut off at both ends.
        postgres.kill();
        await service.kill();
        return site.start();
      }),
    180_000 + ROUNDS * 20_000,
  );
});

describe('kill -9 while an event group is traded and settled', () => {
  it(
    'keeps its sets, its collateral and its settlement whole',
    async () => {
      const site = await Site.open();
      try {
        let service = await site.start();
        await site.slowCommits(10);
        const load = new GroupLoad('FIRE');
        const restart = async (): Promise<void> => {
          await service.kill();
          service = await site.start();
          await load.turnTo(service.url);
        };
        await load.turnTo(service.url);
        await load.start();
        for (let round = 0; round < GROUP_ROUNDS; round++) {
          await delay(700 + Math.random() * 500);
          const before = load.sets.size;
          await restart();
          await eventually(() => load.sets.size > before + 10, 'sets are traded again');
        }
        await load.finish();
        await load.checkRepeats(10);
        await checkBooks(service.client());

        const [red, green] = load.markets as [string, string];
        // Struck before the answer: it was done, or is done now.
        const settling = load.settle(red);
        await delay(Math.random() * 100);
        await restart();
        await settling;
        await load.checkSettled(red);
        const correcting = load.correct(green);
        await delay(Math.random() * 20);
        await restart();
        await correcting;
        await load.checkSettled(green);
        const books = await checkBooks(service.client());
        await checkPublicJournal(service.client(), books.sequence);
        load.close();
        expect(await service.stop()).toBe(0);
        const { code, said } = await site.verify();
        expect({ code, said }).toMatchObject({
          code: 0,
          said: expect.stringContaining(books.state_hash) as string,
        });
        process.stderr.write(`group: ${load.sets.size} trades of sets and ${load.orders} orders, 0 lost\n`);
      } finally {
        await site.close();
      }
    },
    180_000 + GROUP_ROUNDS * 20_000,
  );
});

describe('kill -9 while the service starts for the first time', () => {
  it('leaves nothing half done that the next start would trip over', async () => {
    const site = await Site.empty();
    try {
      // A first start makes the cluster, the tables and the demo data, in something like two seconds.
      for (let kill = 0; kill < FIRST_START_KILLS; kill++) {
        const service = site.launch();
        await delay(200 + (kill / FIRST_START_KILLS) * 2_400);
        await service.kill();
      }
      const service = await site.start();
      const api = service.client();
      const token = await api.authorize('demo:demo-secret');
      const accounts = await api.expect<{ data: unknown[] }>(200, 'GET', '/accounts', { token });
      expect(accounts.body.data).toHaveLength(1);
      const balances = await api.expect<{ data: { asset: string; total: string }[] }>(
        200,
        'GET',
        '/accounts/me/balances',
        { token },
      );
      expect(Object.fromEntries(balances.body.data.map(({ asset, total }) => [asset, total]))).toEqual({
        BTC: '1000',
        ETH: '10000',
        EUR: '1000000',
        USD: '10000000',
        USDC: '10000000',
      });
      const books = await checkBooks(api);
      api.close();
      expect(await service.stop()).toBe(0);
      const { code, said } = await site.verify();
      expect({ code, said }).toMatchObject({
        code: 0,
        said: expect.stringContaining(books.state_hash) as string,
      });
    } finally {
      await site.close();
    }
  }, 180_000);
});
