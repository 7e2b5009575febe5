import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/domain/engine/commands.js';
import { LedgerCheck } from '../../src/core/ledger-check/ledger-check.js';
import { CORRECTED_HOLDERS_MAX } from '../../src/core/term/settlement-holders.js';
import { MetricsRegistry } from '../../src/kit/metrics/metrics-registry.js';
import { deposit, EVENT, limit, openFloor, TestCore } from '../support/core.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { openPool } from '../support/pool.js';

const HOLDERS = Number(process.env.HOLDERS ?? 20_000);
const COMMANDS_PER_REQUEST = 100;

describe('the settlement of a market that many hold', () => {
  let database: TestDatabase;
  let core: TestCore;
  beforeAll(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
  });
  afterAll(async () => {
    await core.stop();
    await database.drop();
  });

  async function runAll(commands: readonly Command[]): Promise<number[]> {
    const requests: Promise<readonly { ok: boolean; result?: unknown }[]>[] = [];
    const accountIds: number[] = [];
    for (let i = 0; i < commands.length; i += COMMANDS_PER_REQUEST) {
      requests.push(core.submit(commands.slice(i, i + COMMANDS_PER_REQUEST)));
      if (requests.length % 20 === 0) await Promise.all(requests);
    }
    for (const outcome of (await Promise.all(requests)).flat()) {
      if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome)}`);
      const { accountId } = outcome.result as { accountId?: number };
      if (accountId !== undefined) accountIds.push(accountId);
    }
    return accountIds;
  }

  it(
    `pays ${HOLDERS} accounts in chunks, and lets others go on meanwhile`,
    { timeout: 1_200_000 },
    async () => {
      const { bob, cat } = await openFloor(core);
      const holders = await runAll(
        Array.from({ length: HOLDERS }, (_, i) => ({
          type: 'create_account',
          kind: 'trading',
          name: `holder ${i}`,
          owner: `user:${i}`,
        })),
      );
      await runAll(holders.map((accountId) => deposit(accountId, 'USD', '1')));
      await core.place(limit(bob, 'sell', 50, HOLDERS, { marketId: EVENT }));
      await runAll(holders.map((accountId) => limit(accountId, 'buy', 50, 1, { marketId: EVENT })));

      const pool = openPool(database.url);
      const status = (to: 'closed' | 'settled', value: string | null): Command => ({
        type: 'set_market_status',
        marketId: EVENT,
        status: to,
        settlementValue: value,
      });
      const statusNow = (): string => core.sequencer.freshTerm().view.market(EVENT)!.status;
      await core.run(status('closed', null));
      const startedAt = performance.now();
      await core.run(status('settled', '1'));
      expect(statusNow()).toBe('settling');
      const waitedMs: number[] = [];
      while (statusNow() === 'settling') {
        const sentAt = performance.now();
        await core.run(deposit(cat, 'USD', '1'));
        waitedMs.push(performance.now() - sentAt);
      }
      const tookMs = performance.now() - startedAt;
      waitedMs.sort((a, b) => a - b);
      const at = (share: number): string => waitedMs[Math.floor((waitedMs.length - 1) * share)]!.toFixed(1);
      console.log(
        `${HOLDERS} holders: settled in ${Math.round(tookMs)} ms; ${waitedMs.length} other commands meanwhile, ` +
          `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`,
      );
      const [paid] = await core.query<{ accounts: number; amount: string }>(
        `SELECT count(DISTINCT credit_account_id)::integer AS accounts, sum(amount) AS amount
         FROM transfers WHERE reason = 'settlement'`,
      );
      expect(paid).toEqual({ accounts: HOLDERS, amount: `${BigInt(HOLDERS) * 10n ** 18n}` });
      expect(await new LedgerCheck(core.followed, pool, new MetricsRegistry()).check()).toMatchObject({
        balanced: true,
      });
      const isTooLarge = HOLDERS + 1 > CORRECTED_HOLDERS_MAX;
      expect(
        await core.refusalOf({ type: 'correct_settlement', marketId: EVENT, settlementValue: '0.25' }),
      ).toBe(isTooLarge ? 'settlement_not_reversible' : undefined);
      await pool.end();
    },
  );
});
