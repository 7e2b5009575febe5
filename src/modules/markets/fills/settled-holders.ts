/** Which settlements a market had, and whose positions they have closed. */

/** How many holders of a settled market are read, and their rows written, at a time. */
export const HOLDERS_PER_PAGE = 1_000;

/** The parts of the first settlement, and then its corrections. */
export const SETTLEMENTS = `
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

export const PAID_HOLDERS = `
  SELECT account_id, settled_lots FROM positions
  WHERE market_id = $1 AND account_id = ANY ($2::bigint[]) ORDER BY account_id`;

export const HOLDERS = `
  SELECT account_id, settled_lots FROM positions
  WHERE market_id = $1 AND account_id > $2 AND is_holder
  ORDER BY account_id LIMIT ${HOLDERS_PER_PAGE}`;

export interface HolderRow {
  readonly account_id: string;
  readonly settled_lots: string;
}

export interface SettlementRow {
  readonly sequence: string;
  readonly settlement_value: string;
  /** Of the settlement before it; null for the first. */
  readonly previous_value: string | null;
  readonly settled_at: Date;
  /** Whom this part of the first settlement has paid; null where it concerns all holders. */
  readonly account_ids: string[] | null;
}
