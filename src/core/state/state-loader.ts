/** Reads the state, or some accounts of it, from the tables. */
import type pg from 'pg';
import { HASH_PARTS, type HashPart, StateHash } from '../../domain/engine/state-hash.js';
import type { EngineState } from '../../domain/engine/state.js';
import { type AccountRows, DamagedState, type StateRows, stateFrom } from './state-rows.js';

/** Timestamps as whole milliseconds, so that rows are plain JSON. */
const ms = (column: string, as = column.split('.').at(-1)!): string =>
  `(extract(epoch FROM ${column}) * 1000)::float8 AS ${as}`;

/** Orders that have not ended. */
export const LIVE = `status IN ('open', 'partially_filled', 'untriggered')`;

const ACCOUNT_COLUMNS = `account_id, kind, name, owner, kyc_level, frozen, ${ms('created_at')}`;

const MARKETS_SQL = `
  SELECT m.market_id, kind, title, description, category, status, base_asset, quote_asset, tick_size, lot_size,
    min_size_lots, max_size_lots, min_notional, price_min_ticks, price_max_ticks, maker_fee_rate, taker_fee_rate,
    fee_base, ${ms('opens_at')}, ${ms('closes_at')}, settlement_value, ${ms('settled_at')}, pool_account_id,
    ${ms('created_at')}, book_sequence, last_price_ticks, open_interest_lots,
    pending_low_ticks, pending_high_ticks, owed_short_lots, ${ms('changed_at')}
  FROM markets m JOIN market_books b ON b.market_id = m.market_id ORDER BY m.market_id`;

const ORDERS_SQL = `
  SELECT account_id, order_id, market_id, client_order_id, side, type, time_in_force, price_ticks, stop_price_ticks,
    size_lots, filled_lots, remaining_lots, filled_notional, fees, fee_rounding, maker_fee_rate, taker_fee_rate, held,
    post_only, reduce_only, self_trade_prevention, ${ms('expires_at')}, status, status_reason, queue_sequence,
    book_sequence, ${ms('created_at')}, ${ms('updated_at')}
  FROM orders WHERE ${LIVE}`;

/** Positions in settled markets are needed by corrections alone, which look them up. */
const UNSETTLED = `NOT EXISTS (
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
      return `SELECT code, scale, ${ms('created_at')} FROM assets ORDER BY code`;
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
      return `SELECT owner_kind, owner_id, account_id, asset, amount, ${ms('created_at')} FROM holds`;
    case 'limits':
      return 'SELECT open_orders_max, open_stops_max FROM trading_limits';
    case 'orders':
      return ORDERS_SQL;
  }
}

/** Where the ledger stands, and the time of the last command. */
export async function sequenceAndTime(client: pg.ClientBase): Promise<{ sequence: number; timeMs: number }> {
  const { rows } = await client.query<{ sequence: string; time: number | null }>(
    `SELECT last_sequence AS sequence, (
       SELECT ${ms('committed_at', 'time')} FROM journal ORDER BY last_sequence DESC LIMIT 1) AS time
     FROM core_leader`,
  );
  return { sequence: Number(rows[0]!.sequence), timeMs: rows[0]!.time ?? 0 };
}

/** Call inside a REPEATABLE READ transaction: all parts must be of one moment. */
async function readState(client: pg.ClientBase, scope: AccountScope): Promise<StateRows> {
  const rows = async <T extends pg.QueryResultRow>(part: Parameters<typeof readPart>[0]): Promise<T[]> =>
    (await client.query<T>(readPart(part, scope))).rows;
  return {
    ...(await sequenceAndTime(client)),
    assets: await rows('assets'),
    markets: await rows('markets'),
    accounts: await rows('accounts'),
    balances: await rows('balances'),
    positions: await rows('positions'),
    holds: await rows('holds'),
    limits: await rows('limits'),
    orders: await rows('orders'),
  };
}

/** For transactions that read whole tables on the writer's connection: its own settings are the wrong ones. */
export const WHOLE_TABLES =
  'SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on';

export interface LoadedState {
  readonly state: EngineState;
  readonly hash: StateHash;
}

/**
 * Loads what a leader needs and proves it: orders, holds and markets, which are always loaded whole,
 * must give the very sums that the last commit left. What belongs to accounts that are not
 * needed stay in the tables, so their sums are taken over as they are.
 */
export async function loadState(client: pg.ClientBase, stateParts: string | null): Promise<LoadedState> {
  await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(WHOLE_TABLES);
    const state = stateFrom(await readState(client, 'needed'));
    if (stateParts === null) return { state, hash: StateHash.of(state) };
    const parts = parseParts(stateParts);
    const loaded = StateHash.of(state);
    for (const part of ['orders', 'holds', 'markets'] as const) {
      if (loaded.part(part) !== parts[part]) {
        throw new DamagedState(
          `the stored ${part} do not match the state hash of the last commit; run npm run journal:verify`,
        );
      }
    }
    return { state, hash: new StateHash(parts) };
  } finally {
    await client.query('ROLLBACK');
  }
}

export function formatParts(hash: StateHash): string {
  return HASH_PARTS.map((part) => hash.part(part)).join(':');
}

export function parseParts(text: string): Record<HashPart, string> {
  const sums = text.split(':');
  return Object.fromEntries(HASH_PARTS.map((part, index) => [part, sums[index]!])) as Record<
    HashPart,
    string
  >;
}

export interface LookUp {
  readonly keys: readonly { readonly owner: string; readonly key: string }[];
  readonly accountIds: readonly number[];
  /** Settled markets whose positions are wanted, too. */
  readonly correctedMarkets: readonly string[];
}

export interface KeyHit {
  readonly owner: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly outcomes: string;
}

/** The one look-up before a batch: repeats, and accounts that are not in memory. */
export async function lookUp(
  client: pg.ClientBase,
  { keys, accountIds, correctedMarkets }: LookUp,
): Promise<{ hits: KeyHit[] } & AccountRows> {
  const { rows } = await client.query<{ hits: KeyHit[] } & AccountRows>({
    name: 'core-look-up',
    text: `
      WITH wanted AS (
        SELECT account_id FROM accounts WHERE account_id = ANY ($3::int8[])
      )
      SELECT
        (SELECT coalesce(json_agg(k), '[]') FROM (
          SELECT owner, key, fingerprint, outcomes FROM command_keys
          WHERE (owner, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))
            AND (expires_at IS NULL OR expires_at > clock_timestamp())) k) AS hits,
        (SELECT coalesce(json_agg(a), '[]') FROM (
          SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE account_id IN (SELECT account_id FROM wanted)) a) AS accounts,
        (SELECT coalesce(json_agg(b), '[]') FROM (
          SELECT account_id, asset, available::text, held::text FROM balances
          WHERE account_id IN (SELECT account_id FROM wanted)) b) AS balances,
        (SELECT coalesce(json_agg(p), '[]') FROM (
          SELECT account_id, market_id, size_lots, cost_basis::text, realized_pnl::text, fees::text, settled_lots
          FROM positions
          WHERE account_id IN (SELECT account_id FROM wanted)
            AND (market_id = ANY ($4::text[]) OR ${UNSETTLED})) p) AS positions`,
    values: [keys.map(({ owner }) => owner), keys.map(({ key }) => key), accountIds, correctedMarkets],
  });
  return rows[0]!;
}
