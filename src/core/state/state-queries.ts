/** The queries that read the state from the tables. */
import type pg from 'pg';
import type { AnyColumns } from '../tables/values.js';
import {
  BALANCE_COLUMNS,
  BOOK_FIGURES,
  BOOK_REST,
  ORDER_FIELDS_COLUMNS,
  POSITION_COLUMNS,
  PROTECTION_COLUMNS,
} from '../tables/core-tables.js';
import { packedOrderColumns } from '../tables/packed-order.js';
import {
  ACCOUNT_COLUMNS,
  ASSET_COLUMNS,
  EVENT_GROUP_COLUMNS,
  HOLD_COLUMNS,
  LIMITS_COLUMNS,
  MARKET_COLUMNS,
} from '../tables/reference-tables.js';
import type { StateRows } from './state-rows.js';

/** Timestamps as whole milliseconds, so that rows are plain JSON. */
const ms = (column: string): string => `round(date_part('epoch', ${column}) * 1000)`;
const msAs = (column: string): string => `${ms(column)} AS ${column.split('.').at(-1)!}`;

/** Orders that have not ended. */
export const LIVE = `status IN ('open', 'partially_filled', 'untriggered')`;

/** What to select of a table to have its rows. */
export function selected(columns: AnyColumns, alias = ''): string {
  return columns
    .map(({ name, kind }) => (kind === 'time' ? msAs(`${alias}${name}`) : `${alias}${name}`))
    .join(', ');
}

const MARKETS_SQL = `
  SELECT ${selected(MARKET_COLUMNS, 'm.')}, ${selected([...BOOK_FIGURES, ...BOOK_REST], 'b.')}
  FROM markets m JOIN market_books b ON b.market_id = m.market_id ORDER BY m.market_id`;

const ORDERS_SQL = `SELECT ${packedOrderColumns(ms)} FROM orders WHERE ${LIVE}`;

const ORDER_FIELDS_SQL = `SELECT ${selected(ORDER_FIELDS_COLUMNS)} FROM order_fields
  WHERE (account_id, order_id) IN (SELECT account_id, order_id FROM orders WHERE ${LIVE})`;

/** The same where rows come as JSON, whose numbers cannot hold a numeric. */
export function selectedAsJson(columns: AnyColumns): string {
  return columns.map((column) => selected([column]) + (column.kind === 'numeric' ? '::text' : '')).join(', ');
}

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
      return `SELECT ${selected(ASSET_COLUMNS)} FROM assets ORDER BY code`;
    case 'markets':
      return MARKETS_SQL;
    case 'groups':
      return `SELECT ${selected(EVENT_GROUP_COLUMNS)} FROM event_groups ORDER BY event_group_id`;
    case 'accounts':
      return `SELECT ${selected(ACCOUNT_COLUMNS)} FROM accounts ${isAll ? '' : `WHERE ${NEEDED}`} ORDER BY account_id`;
    case 'balances':
      return `SELECT ${selected(BALANCE_COLUMNS)} FROM balances ${among}`;
    case 'positions':
      return `SELECT ${selected(POSITION_COLUMNS)} FROM positions ${isAll ? '' : `${among} AND ${UNSETTLED}`}`;
    case 'holds':
      return `SELECT ${selected(HOLD_COLUMNS)} FROM holds`;
    case 'limits':
      return `SELECT ${selected(LIMITS_COLUMNS)} FROM trading_limits`;
    case 'protections':
      return `SELECT ${selected(PROTECTION_COLUMNS)} FROM maker_protections ORDER BY account_id`;
    case 'orders':
      return ORDERS_SQL;
    case 'orderFields':
      return ORDER_FIELDS_SQL;
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
