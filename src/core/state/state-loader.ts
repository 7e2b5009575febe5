/** Reads the state, or some accounts of it, from the tables. */
import type pg from 'pg';
import { HASH_PARTS, type HashPart, StateHash } from '../../domain/engine/state-hash.js';
import type { EngineState } from '../../domain/engine/state.js';
import { BALANCE_COLUMNS, KEY_ANSWER, POSITION_COLUMNS } from '../tables/core-tables.js';
import { ACCOUNT_COLUMNS } from '../tables/reference-tables.js';
import type { TableRow } from '../tables/table-row.js';
import type { HeldOrders } from './held-orders.js';
import { readPages, STATE_PARTS, StateBuilder } from './state-pages.js';
import { selectedAsJson, tablesPlace, UNSETTLED } from './state-queries.js';
import { type AccountRows, DamagedState } from './state-rows.js';

/** For transactions that read whole tables on the writer's connection: its own settings are the wrong ones. */
export const WHOLE_TABLES =
  'SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on';

/** Nothing else is to be done meanwhile, so pages are as large as pays. */
const ROWS_PER_PAGE = 2_000;

/** The parts of the hash that cover nothing but what is always loaded. */
const LOADED_WHOLE: readonly HashPart[] = ['orders', 'holds', 'markets'];
const BESIDE_ORDERS: readonly HashPart[] = ['holds', 'markets'];

const ALL_BUT_ORDERS = STATE_PARTS.filter((part) => part !== 'orders' && part !== 'orderFields');

export interface LoadedState {
  readonly state: EngineState;
  readonly hash: StateHash;
}

/**
 * Loads what a leader needs and proves it: orders, holds and markets, which are always loaded whole,
 * must give the very sums that the last commit left. What belongs to accounts that are not
 * needed stay in the tables, so their sums are taken over as they are.
 *
 * Orders that are held in memory as of the same commit need not be read: they must give that sum, too. What `held` has is
 * changed, also where this throws.
 * @throws DamagedState
 */
export async function loadState(
  client: pg.ClientBase,
  stateParts: string | null,
  held: HeldOrders | null = null,
): Promise<LoadedState> {
  try {
    await client.query(`BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; ${WHOLE_TABLES}`);
    const { sequence, timeMs } = await tablesPlace(client);
    const orders = held?.sequence === sequence && stateParts !== null ? held : null;
    const builder = new StateBuilder(sequence, timeMs, orders);
    const pages = readPages(client, {
      parts: orders === null ? STATE_PARTS : ALL_BUT_ORDERS,
      scope: 'needed',
      rowsPerPage: ROWS_PER_PAGE,
      readsAhead: true,
    });
    for await (const page of pages) builder.add(page);
    const state = builder.finish();
    if (stateParts === null) return { state, hash: StateHash.of(state) };
    const parts = parseParts(stateParts);
    const loaded = { ...StateHash.of(state, orders === null ? LOADED_WHOLE : BESIDE_ORDERS).parts() };
    if (orders !== null) loaded.orders = orders.ordersSum;
    for (const part of LOADED_WHOLE) {
      if (loaded[part] !== parts[part]) {
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
  /** Keys that have expired by then are none. */
  readonly timeMs: number;
}

export type KeyHit = Readonly<TableRow<typeof KEY_ANSWER>>;

/** The one look-up before a batch: repeats, and accounts that are not in memory. */
export async function lookUp(
  client: pg.ClientBase,
  { keys, accountIds, correctedMarkets, timeMs }: LookUp,
): Promise<{ hits: KeyHit[] } & AccountRows> {
  const { rows } = await client.query<{ hits: KeyHit[] } & AccountRows>({
    name: 'core-look-up',
    text: `
      WITH wanted AS (
        SELECT account_id FROM accounts WHERE account_id = ANY ($3::int8[])
      )
      SELECT
        (SELECT coalesce(json_agg(k), '[]') FROM (
          SELECT ${selectedAsJson(KEY_ANSWER)} FROM command_keys
          WHERE (owner, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))
            AND (expires_at IS NULL OR expires_at > to_timestamp($5::float8 / 1000))) k) AS hits,
        (SELECT coalesce(json_agg(a), '[]') FROM (
          SELECT ${selectedAsJson(ACCOUNT_COLUMNS)} FROM accounts WHERE account_id IN (SELECT account_id FROM wanted)) a) AS accounts,
        (SELECT coalesce(json_agg(b), '[]') FROM (
          SELECT ${selectedAsJson(BALANCE_COLUMNS)} FROM balances
          WHERE account_id IN (SELECT account_id FROM wanted)) b) AS balances,
        (SELECT coalesce(json_agg(p), '[]') FROM (
          SELECT ${selectedAsJson(POSITION_COLUMNS)} FROM positions
          WHERE account_id IN (SELECT account_id FROM wanted)
            AND (market_id = ANY ($4::text[]) OR ${UNSETTLED})) p) AS positions`,
    values: [
      keys.map(({ owner }) => owner),
      keys.map(({ key }) => key),
      accountIds,
      correctedMarkets,
      timeMs,
    ],
  });
  return rows[0]!;
}
