import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CoreService } from '../../../src/core/core.service.js';
import { Anvil, isAnvilMissing } from '../../support/anvil.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { queryOnce } from '../../support/core.js';
import { isRedisMissing, TestRedis } from '../../support/redis.js';
import { ChainSite, newOutsider } from '../../support/clients/chain-client.js';
import { callerFor } from '../../support/caller.js';

const isImpossible =
  isAnvilMissing('a chain over several processes') || isRedisMissing('a chain over several processes');

describe.skipIf(isImpossible)('a chain of two processes', () => {
  let anvil: Anvil;
  let redis: TestRedis;
  let database: TestDatabase;
  let site: ChainSite;
  let other: TestApp;

  beforeAll(async () => {
    [anvil, redis, database] = await Promise.all([Anvil.start(), TestRedis.start(), createTestDatabase()]);
    site = await ChainSite.open(anvil, { databaseUrl: database.url, redisUrl: redis.url });
    const { dataDir: _own, ...same } = site.service.config;
    other = await startTestApp({ ...same, port: 0 });
    await site.fundHotWallet('10');
  }, 180_000);
  afterAll(async () => {
    await other?.close();
    await site?.close();
    await anvil?.stop();
    await redis?.stop();
    await database?.drop();
  });

  async function workers(): Promise<number> {
    const rows = await queryOnce(
      database.url,
      `SELECT FROM pg_stat_activity WHERE application_name = 'tradepost-chain' AND datname = current_database()`,
    );
    return rows.length;
  }

  /** Two processes and a chain are slow on a busy machine. */
  function done(): Promise<void> {
    return vi.waitFor(() => site.mineUntilDone(), { timeout: 90_000 });
  }

  it('is worked on once, also where the lead goes to the other one in the middle', async () => {
    const wallet = await site.newWallet();
    await site.setKycLevel(wallet.account_id, 1);
    const addresses = [await site.newAddress(wallet.wallet_id), await site.newAddress(wallet.wallet_id)];
    for (const address of addresses) await anvil.pay(address, '2');
    await done();
    expect(await site.balanceOf(wallet.wallet_id, 'ETH')).toBe('4');

    const [before, after] = [newOutsider(), newOutsider()];
    await site.transferOut(wallet.wallet_id, 'ETH', '0.5', before);
    for (const address of addresses) await anvil.pay(address, '1');
    await site.service.app.nest.get(CoreService).handOver();
    site.operator = await callerFor(other.url, 'admin');
    site.customer = await callerFor(other.url, 'demo');
    await vi.waitFor(() => expect(other.app.nest.get(CoreService).leads).toBe(true), { timeout: 30_000 });
    await site.transferOut(wallet.wallet_id, 'ETH', '0.25', after);
    await done();

    expect(await anvil.balance(before)).toBe(5n * 10n ** 17n);
    expect(await anvil.balance(after)).toBe(25n * 10n ** 16n);
    const { body: history } = await site.customer.get(`/wallets/${wallet.wallet_id}/transfers?limit=200`);
    const amounts = history.data.map(
      (one: { direction: string; amount: string; status: string }) =>
        `${one.direction} ${one.amount} ${one.status}`,
    );
    expect(amounts.sort()).toEqual([
      'in 1 completed',
      'in 1 completed',
      'in 2 completed',
      'in 2 completed',
      'out 0.25 completed',
      'out 0.5 completed',
    ]);
    await site.checkBooks();
    expect(await workers()).toBe(1);
  }, 240_000);
});
