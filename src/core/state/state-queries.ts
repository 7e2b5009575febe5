/** What is asked of the tables to read the state from them. */
import type pg from 'pg';
import { packedOrderColumns } from '../tables/packed-order.js';
import type { StateRows } from './state-rows.js';

/** Timestamps as whole milliseconds, so that rows are plain JSON. */
const ms = (column: string): string => `round(date_part('epoch', ${column}) * 1000)`;
const msAs = (column: string): string => `${ms(column)} AS ${column.split('.').at(-1)!}`;

/** Orders that have not ended. */
export const LIVE = `status IN ('open', 'partially_filled', 'untriggered')`;

export const ACCOUNT_COLUMNS = `account_id, kind, name, owner, kyc_level, frozen, ${msAs('created_at')}`;

const MARKETS_SQL = `
  SELECT m.market_id, kind, title, description, category, status, base_asset, quote_asset, tick_size, lot_size,
    min_size_lots, max_size_lots, min_notional, price_min_ticks, price_max_ticks, maker_fee_rate, taker_fee_rate,
    fee_base, ${msAs('opens_at')}, ${msAs('closes_at')}, settlement_value, ${msAs('settled_at')}, pool_account_id,
    ${msAs('created_at')}, book_sequence, last_price_ticks, open_interest_lots,
    pending_low_ticks, pending_high_ticks, owed_short_lots, ${msAs('changed_at')}
  FROM markets m JOIN market_books b ON b.market_id = m.market_id ORDER BY m.market_id`;

const ORDERS_SQL = `SELECT ${packedOrderColumns(ms)} FROM orders WHERE ${LIVE}`;

/** Positions in settled markets are needed by corrections alone, which look them up. */
export const UNSETTLED = `NOT EXISTS (
  SELECT 1 FROM markets m WHERE m.market_id = positions.market_id AND m.status = 'settled')`;

/** Which accounts to read: those that live orders or the system need, or simply all. */
export type AccountScope = 'needed' | 'all';

const NEEDED = `owner IS NULL OR account_id IN (SELECT account_id FROM orders WHERE ${LIVE})`;

/** The query for one part of the state. */
export function readPart(part: Exclude<keyof StateRows, 'sequence' | 'timeMs'>, scope: AccountScope): string {
  const isAll = scope === 'all';
  const among = isAll ? '' : `WHERE account_id IN (SELECT account_id FROM accounts WHERE ${NEEDED})`;
  switch (part) {
    case 'assets':
      return `SELECT code, scale, ${msAs('created_at')} FROM assets ORDER BY code`;
    case 'markets':
      return MARKETS_SQL;
    case 'accounts':
      return `SELECT ${ACCOUNT_COLUMNS} FROM accounts ${isAll ? '' : `WHERE ${NEEDED}`} ORDER BY account_id`;
    case 'balances':
      return `SELECT account_id, asset, available, held FROM balances ${among}`;
    case 'positions':
      return `SELECT account_id, market_id, size_lots, cost_basis, realized_pnl, fees, settled_lots
        FROM positions ${isAll ? '' : `${among} AND ${UNSETTLED}`}`;
    case 'holds':
      return `SELECT owner_kind, owner_id, account_id, asset, amount, ${msAs('created_at')} FROM holds`;
    case 'limits':
      return 'SELECT open_orders_max, open_stops_max FROM trading_limits';
    case 'orders':
      return ORDERS_SQL;
  }
}

/** Up to where the tables are. */
export interface TablesPlace {
  readonly sequence: number;
  /** The time of that commit. */
  readonly timeMs: number;
  /** The sums of the state's hash there; null where they are not known. */
  readonly stateParts: string | null;
}

export async function tablesPlace(client: pg.ClientBase): Promise<TablesPlace> {
  const { rows } = await client.query<{ sequence: string; state_parts: string | null; time: number | null }>(
    `SELECT sequence, state_parts, (
       SELECT ${ms('committed_at')} AS time FROM journal WHERE last_sequence <= p.sequence
       ORDER BY last_sequence DESC LIMIT 1) AS time
     FROM core_projection p`,
  );
  const { sequence, state_parts, time } = rows[0]!;
  return { sequence: Number(sequence), timeMs: time ?? 0, stateParts: state_parts };
}
