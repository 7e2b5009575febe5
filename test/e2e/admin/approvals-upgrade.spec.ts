import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CreateApprovals1780000001520 } from '../../../src/migrations/1780000001520-create-approvals.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { PAYOUT_IDS } from '../../../src/modules/banking/ids.js';

let database: TestDatabase;
let source: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  source = await new DataSource({ type: 'postgres', url: database.url, driver: pg }).initialize();
});

afterAll(async () => {
  await source.destroy();
  await database.drop();
});

it('what waited for a second person before approvals were one mechanism still waits', async () => {
  const runner = source.createQueryRunner();
  const migration = new CreateApprovals1780000001520();
  await migration.down(runner);
  await runner.query(`
    INSERT INTO settlement_proposals (market_id, settlement_value, proposed_by, status, ended_by, ended_at)
    VALUES ('RAIN', 300000000000000000, 'user:1', 'carried_out', 'user:2', now()),
           ('SUN', 1000000000000000000, 'user:1', 'withdrawn', 'user:1', now()),
           ('SNOW', 0, 'user:2', 'open', NULL, NULL);
    INSERT INTO payouts (owner, account_id, payout_account_id, rail, currency, requested_amount, amount, fee,
      status, requested_by, fingerprint, accepted_at)
    SELECT 'user:3', 7, 1, 'sepa', 'EUR', 1500000000000000000000, 1500000000000000000000, 0, status, 'user:3', 'x',
      accepted_at
    FROM (VALUES ('pending_approval', now()), ('pending_approval', NULL), ('pending', now()))
      AS waiting (status, accepted_at);
  `);
  await migration.up(runner);
  const rows = (await runner.query(
    `SELECT kind, status, subject_id, slot, owner, summary, payload, proposed_by, decided_by,
       expires_at IS NOT NULL AS expires, carried_out_at IS NOT NULL AS is_done
     FROM approvals ORDER BY approval_id`,
  )) as Record<string, unknown>[];
  await runner.release();
  const payout = PAYOUT_IDS.format(1);
  expect(rows).toMatchObject([
    { kind: 'settlement', status: 'approved', subject_id: 'RAIN', decided_by: 'user:2', is_done: true },
    { kind: 'settlement', status: 'rejected', subject_id: 'SUN', decided_by: 'user:1' },
    {
      status: 'pending',
      slot: 'settlement:SNOW',
      payload: { marketId: 'SNOW', settlementValue: '0' },
      summary: 'Settle the market SNOW at 0.',
      expires: true,
    },
    {
      kind: 'payout',
      status: 'pending',
      subject_id: payout,
      slot: `payout:${payout}`,
      owner: 'user:3',
      summary: 'Pay out 1500 EUR of user:3.',
      payload: { payoutId: '1' },
      proposed_by: 'user:3',
      expires: false,
    },
  ]);
});
