import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../cluster/cluster.js';
import { ClusterStreams } from '../cluster/cluster-streams.js';
import { Caller, tokenFor } from '../support/caller.js';
import { createMarket } from '../support/clients/markets-client.js';
import { OrderLoad } from '../recovery/order-load.js';
import { queryOnce } from '../support/core.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { isRedisMissing } from '../support/redis.js';

/** The service with a plugin, and so with a rule that the others have not: it stands for the next version. */
const NEXT_VERSION = fileURLToPath(new URL('../../dist/examples/desk-limits/main.js', import.meta.url));
const MARKET = 'BTC-USD';
/** Tables that every version writes, with its own statements. */
const TABLES = [
  'assets',
  'accounts',
  'markets',
  'market_books',
  'orders',
  'trades',
  'transfers',
  'balances',
  'holds',
];
const PATIENT_MS = 30_000;

describe.skipIf(isRedisMissing('the upgrade of a cluster'))('an upgrade without stopping', () => {
  let database: TestDatabase;
  let cluster: Cluster;
  beforeAll(async () => {
    if (!existsSync(NEXT_VERSION))
      throw new Error('the examples are not built; run node scripts/ensure-built.mjs');
    database = await createTestDatabase();
    cluster = await Cluster.open({ databaseUrl: database.url });
  }, 180_000);
  afterAll(async () => {
    await cluster?.close();
    await database?.drop();
  }, 120_000);

  /** The migrations that docs/operating.md allows while the previous version serves. */
  const migrate = async (): Promise<void> => {
    for (const table of TABLES) {
      await queryOnce(database.url, `ALTER TABLE ${table} ADD COLUMN next_note text`);
      await queryOnce(
        database.url,
        `ALTER TABLE ${table} ADD COLUMN next_flag boolean NOT NULL DEFAULT false`,
      );
    }
    await queryOnce(database.url, 'CREATE TABLE next_things (id bigint PRIMARY KEY)');
  };

  it('goes from one process to the next and back again, without a request that fails', async () => {
    const client = cluster.client(PATIENT_MS);
    const load = new OrderLoad('upgrade');
    const token = await client.authorize('demo:demo-secret');
    const streams = await ClusterStreams.open(cluster.members, 0, MARKET, token);
    await load.turnTo(client);
    load.start();
    await delay(500);

    await migrate();
    const replace = async (index: number, entry?: string): Promise<void> => {
      expect(await cluster.stop(index)).toBe(0);
      await cluster.start(index, entry);
      const before = load.acknowledged.size;
      await expect.poll(() => load.acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(before + 20);
    };
    const operatorAt = async (index: number): Promise<Caller> => {
      const { url } = cluster.members[index]!.running;
      return new Caller(url, await tokenFor(url, 'admin'));
    };
    // The first process of the next version beside two old ones; the old ones also run rare commands.
    await replace(1, NEXT_VERSION);
    await createMarket(await operatorAt(0), 'OLD-AND-NEW');
    await replace(2, NEXT_VERSION);
    await replace(0, NEXT_VERSION);
    await createMarket(await operatorAt(0), 'ALL-NEW');
    // The way back needs no schema change.
    for (const index of [2, 1, 0]) await replace(index);
    await createMarket(await operatorAt(1), 'BACK-AGAIN');

    await load.finish();
    const { url } = cluster.members[0]!.running;
    await load.check(url);
    await load.checkRepeats(20);
    await streams.check(new Caller(url, token));
    streams.close();
    await cluster.checkOneState();
    const fatal = { refused: 0, unavailable: 0, failed: 0, broken: 0, timedOut: 0, withoutTarget: 0 };
    expect(client.tally).toMatchObject(fatal);
    process.stderr.write(
      `upgrade: ${load.acknowledged.size} orders acknowledged; ${JSON.stringify(client.tally)}\n`,
    );
  });
});
