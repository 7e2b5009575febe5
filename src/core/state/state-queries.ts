/** What is asked of the tables to read the state from them. */
import type pg from 'pg';
import type {
  OrderStatus,
  OrderType,
  SelfTradePrevention,
  Side,
  StatusReason,
  TimeInForce,
} from '../../domain/engine/types.js';
import type { OrderRow, StateRows } from './state-rows.js';

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

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

/** Columns of an order whose text is plain: figures, flags, times and words of our own. */
const ORDER_FIGURES = [
  'account_id',
  'order_id',
  'side',
  'type',
  'time_in_force',
  'price_ticks',
  'stop_price_ticks',
  'size_lots',
  'filled_lots',
  'remaining_lots',
  'filled_notional',
  'fees',
  'fee_rounding',
  'maker_fee_rate',
  'taker_fee_rate',
  'held',
  'post_only',
  'reduce_only',
  'self_trade_prevention',
  'expires_at',
  'status',
  'status_reason',
  'queue_sequence',
  'book_sequence',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof OrderRow)[];

/**
 * Orders are the most there is, and what the driver does for each column of each row is the most of loading
 * them: so those figures come as one text, as PostgreSQL writes a record.
 */
const ORDERS_SQL = `
  SELECT market_id, client_order_id,
    ROW(${ORDER_FIGURES.map((name) => (name.endsWith('_at') ? ms(name) : name)).join(', ')})::text AS figures
  FROM orders WHERE ${LIVE}`;

export interface PackedOrderRow {
  readonly market_id: string;
  readonly client_order_id: string | null;
  readonly figures: string;
}

const WORDS = new Map<string, string>();

/** The same string for the same word: a part of a text would keep all of that in memory. */
function interned(word: string): string {
  const known = WORDS.get(word);
  if (known === undefined) WORDS.set(word, word);
  return known ?? word;
}

export function unpackOrder({ market_id, client_order_id, figures }: PackedOrderRow): OrderRow {
  const texts = figures.slice(1, -1).split(',');
  let place = 0;
  const text = (): string => texts[place++]!;
  const maybe = (): string | null => texts[place++]! || null;
  const word = (): string => interned(texts[place++]!);
  // In the order of `ORDER_FIGURES`.
  return {
    market_id,
    client_order_id,
    account_id: text(),
    order_id: text(),
    side: word() as Side,
    type: word() as OrderType,
    time_in_force: word() as TimeInForce,
    price_ticks: maybe(),
    stop_price_ticks: maybe(),
    size_lots: text(),
    filled_lots: text(),
    remaining_lots: text(),
    filled_notional: text(),
    fees: text(),
    fee_rounding: text(),
    maker_fee_rate: maybe(),
    taker_fee_rate: maybe(),
    held: text(),
    post_only: text() === 't',
    reduce_only: text() === 't',
    self_trade_prevention: word() as SelfTradePrevention,
    expires_at: numberOf(maybe()),
    status: word() as OrderStatus,
    status_reason: (word() || null) as StatusReason | null,
    queue_sequence: text(),
    book_sequence: text(),
    created_at: Number(text()),
    updated_at: Number(text()),
  };
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
