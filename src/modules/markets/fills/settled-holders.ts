/** Which settlements a market had, and whose positions they have closed. */
import type { ClientBase } from 'pg';

/** How many holders of a settled market are read, and their rows written, at a time. */
const HOLDERS_PER_PAGE = 1_000;

/** The parts of the first settlement, and then its corrections. */
const SETTLEMENTS = `
  SELECT * FROM (
    SELECT sequence, settlement_value, NULL::numeric AS previous_value, settled_at, account_ids
    FROM settlement_chunks WHERE market_id = $1
    UNION ALL
    SELECT sequence, settlement_value, previous_value, settled_at, NULL FROM (
      SELECT sequence, settlement_value, lag(settlement_value) OVER (ORDER BY sequence) AS previous_value, settled_at
      FROM settlements WHERE market_id = $1
    ) AS settlements
    -- Settlements from before there were parts have none.
    WHERE previous_value IS NOT NULL OR NOT EXISTS (SELECT FROM settlement_chunks WHERE market_id = $1)
  ) AS all_settlements
  WHERE sequence > $2 AND sequence <= $3 ORDER BY sequence`;

const PAID_HOLDERS = `
  SELECT account_id, settled_lots FROM positions
  WHERE market_id = $1 AND account_id = ANY ($2::bigint[]) ORDER BY account_id`;

const HOLDERS = `
  SELECT account_id, settled_lots FROM positions
  WHERE market_id = $1 AND account_id > $2 AND is_holder
  ORDER BY account_id LIMIT ${HOLDERS_PER_PAGE}`;

/** Whose position a settlement has closed, and its signed size then. */
export interface SettledHolder {
  readonly accountId: number;
  readonly lots: number;
}

export interface SettlementRow {
  readonly sequence: number;
  readonly value: bigint;
  /** Of the settlement before it; null for the first. */
  readonly previousValue: bigint | null;
  readonly settledAtMs: number;
  /** Whom this part of the first settlement has paid; null where it concerns all holders. */
  readonly accountIds: readonly string[] | null;
}

/** Those after one sequence, up to and with another. */
export async function readSettlements(
  client: ClientBase,
  marketId: string,
  after: number,
  until: number,
): Promise<SettlementRow[]> {
  const { rows } = await client.query<{
    sequence: string;
    settlement_value: string;
    previous_value: string | null;
    settled_at: Date;
    account_ids: string[] | null;
  }>(SETTLEMENTS, [marketId, after, until]);
  return rows.map((row) => ({
    sequence: Number(row.sequence),
    value: BigInt(row.settlement_value),
    previousValue: row.previous_value === null ? null : BigInt(row.previous_value),
    settledAtMs: row.settled_at.getTime(),
    accountIds: row.account_ids,
  }));
}

/** All whom a settlement concerns, page by page. */
export async function* settledHoldersOf(
  client: ClientBase,
  marketId: string,
  { accountIds }: SettlementRow,
): AsyncGenerator<SettledHolder[]> {
  if (accountIds !== null) {
    yield await readHolders(client, PAID_HOLDERS, [marketId, accountIds]);
    return;
  }
  for (let after = 0; ;) {
    const holders = await readHolders(client, HOLDERS, [marketId, after]);
    yield holders;
    const last = holders.at(-1);
    if (last === undefined || holders.length < HOLDERS_PER_PAGE) return;
    after = last.accountId;
  }
}

async function readHolders(
  client: ClientBase,
  statement: string,
  parameters: unknown[],
): Promise<SettledHolder[]> {
  const { rows } = await client.query<{ account_id: string; settled_lots: string }>(statement, parameters);
  return rows.map((row) => ({ accountId: Number(row.account_id), lots: Number(row.settled_lots) }));
}
