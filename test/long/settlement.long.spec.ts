import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/domain/engine/commands.js';
import { LedgerCheck } from '../../src/core/ledger-check.js';
import { MetricsRegistry } from '../../src/platform/metrics/metrics-registry.js';
import { deposit, EVENT, limit, openFloor, TestCore } from '../support/core.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { closePool, openPool } from '../support/pool.js';

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
    `pays ${HOLDERS} accounts in one commit: who looks on sees none of it or all`,
    { timeout: 1_200_000 },
    async () => {
      const { bob } = await openFloor(core);
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
      const seen = new Set<number>();
      let looking = true;
      const onlooker = (async () => {
        while (looking) {
          const { rows } = await pool.query<{ open: number }>(
            'SELECT count(*)::integer AS open FROM positions WHERE market_id = $1 AND size_lots > 0',
            [EVENT],
          );
          seen.add(rows[0]!.open);
        }
      })();
      const status = (to: 'closed' | 'settled', value: string | null): Command => ({
        type: 'set_market_status',
        marketId: EVENT,
        status: to,
        settlementValue: value,
      });
      await core.run(status('closed', null));
      const startedAt = performance.now();
      await core.run(status('settled', '1'));
      const settledAt = performance.now();
      await core.run({ type: 'correct_settlement', marketId: EVENT, settlementValue: '0.25' });
      const correctedAt = performance.now();
      looking = false;
      await onlooker;

      console.log(
        `${HOLDERS} holders: settled in ${Math.round(settledAt - startedAt)} ms, corrected in ${Math.round(correctedAt - settledAt)} ms`,
      );
      expect([...seen].sort((a, b) => a - b)).toEqual([0, HOLDERS]);
      expect(await new LedgerCheck(pool, new MetricsRegistry()).check()).toMatchObject({ balanced: true });
      await closePool(pool);
    },
  );
});
