/** Shared by the specs of proofs of liabilities. */
import { expect } from 'vitest';
import { movedBetween } from '../../../src/core/tables/ledger-transfers.js';
import { formatAmount } from '../../../src/domain/money/amount.js';
import type { Caller, Json } from '../caller.js';
import { eventually, queryOnce } from '../core.js';

/** Asks for a cut and waits until it is published; answers its report. */
export async function cutNow(operator: Caller): Promise<Json> {
  const asked = await operator.post('/admin/liabilities', undefined);
  expect(asked, JSON.stringify(asked.body)).toMatchObject({ status: 202, body: { kind: 'on_demand' } });
  return published(operator, asked.body.cut_id as string);
}

/** The report of a cut, once it is published. */
export async function published(operator: Caller, cutId: string): Promise<Json> {
  const run = await eventually(async () => {
    const runs = await operator.walk('/admin/liabilities', 50);
    const found = runs.find(({ cut_id }: Json) => cut_id === cutId);
    expect(found).toMatchObject({ status: 'done' });
    return found;
  });
  const { body } = await operator.get(`/liabilities?as_of=${run.as_of}`);
  expect(body.as_of).toBe(run.as_of);
  return body;
}

/** What customers and pools had at a place of the ledger, by its entries alone. */
export async function owedByEntries(databaseUrl: string, sequence: number): Promise<Record<string, string>> {
  const rows = await queryOnce<{ asset: string; units: string }>(
    databaseUrl,
    `SELECT asset, sum(units)::text AS units
     FROM (${movedBetween({ after: '0', until: '$1::int8' })}) AS moved
     JOIN accounts USING (account_id) WHERE owner IS NOT NULL OR kind = 'pool'
     GROUP BY asset HAVING sum(units) <> 0 ORDER BY asset`,
    [sequence],
  );
  return Object.fromEntries(rows.map(({ asset, units }) => [asset, formatAmount(BigInt(units))]));
}

export function totalsOf(report: Json): Record<string, string> {
  return Object.fromEntries(report.totals.map(({ asset, amount }: Json) => [asset, amount]));
}

/** By asset what an account had at a place of the ledger; what it did not have is left out. */
export async function balancesAt(caller: Caller, accountId: string, sequence: number): Promise<Json> {
  const rows = await caller.walk(`/accounts/${accountId}/balances?at_sequence=${sequence}`, 200);
  return Object.fromEntries(
    rows.filter(({ total }: Json) => total !== '0').map(({ asset, total }: Json) => [asset, total]),
  );
}
