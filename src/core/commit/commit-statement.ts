/**
 * The one statement that makes a batch durable. It is declared as data: for each table its columns,
 * how a changed thing fills them, and what becomes of the rows; SQL and binary parameters both follow
 * from that. The leader's fence comes first, and every other part draws its rows through it, so that
 * a process which no longer leads writes nothing at all.
 */
import type { LedgerTransfer, MatchedBet, Trade } from '../../domain/engine/types.js';
import type { Balance, Market, Order, Position } from '../../domain/engine/state.js';
import type { AccountChangeRow } from '../account-changes.js';
import { type ColumnType, PgArray } from './pg-array.js';

type Fill<T> = (array: PgArray, row: T) => void;

interface Column<T> {
  readonly name: string;
  readonly type: ColumnType;
  readonly fill: Fill<T>;
}

const column = <T>(name: string, type: ColumnType, fill: Fill<T>): Column<T> => ({ name, type, fill });
const integer = <T>(name: string, read: (row: T) => number | null): Column<T> =>
  column(name, 'int8', (array, row) => array.integer(read(row)));
const text = <T>(name: string, read: (row: T) => string | null): Column<T> =>
  column(name, 'text', (array, row) => array.text(read(row)));
const numeric = <T>(name: string, read: (row: T) => bigint | null): Column<T> =>
  column(name, 'numeric', (array, row) => array.numeric(read(row)));
const time = <T>(name: string, read: (row: T) => number | null): Column<T> =>
  column(name, 'timestamptz', (array, row) => array.time(read(row)));
const bool = <T>(name: string, read: (row: T) => boolean): Column<T> =>
  column(name, 'bool', (array, row) => array.bool(read(row)));
const int63 = <T>(name: string, read: (row: T) => bigint): Column<T> =>
  column(name, 'int8', (array, row) => array.bigint(read(row)));

/** A key under which a request or an order can be repeated, with what it was answered. */
export interface KeyRow {
  readonly owner: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly outcomes: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

const orderKey: readonly Column<Order>[] = [
  integer('account_id', (order) => order.accountId),
  integer('order_id', (order) => order.orderId),
];

/** What may change after an order was accepted. */
const orderProgress: readonly Column<Order>[] = [
  integer('price_ticks', (order) => (order.hasPrice ? order.priceTicks : null)),
  integer('size_lots', (order) => order.sizeLots),
  integer('filled_lots', (order) => order.filledLots),
  integer('remaining_lots', (order) => order.remainingLots),
  numeric('filled_notional', (order) => order.filledNotional),
  numeric('fees', (order) => order.fees),
  int63('fee_rounding', (order) => order.feeRounding),
  numeric('held', (order) => order.held),
  text('status', (order) => order.status),
  text('status_reason', (order) => order.statusReason),
  integer('queue_sequence', (order) => order.queueSequence),
  integer('book_sequence', (order) => order.bookSequence),
  time('updated_at', (order) => order.updatedAtMs),
];

const orderTerms: readonly Column<Order>[] = [
  text('market_id', (order) => order.market.definition.marketId),
  text('client_order_id', (order) => order.clientOrderId),
  text('side', (order) => order.side),
  text('type', (order) => order.type),
  text('time_in_force', (order) => order.timeInForce),
  integer('stop_price_ticks', (order) => order.stopPriceTicks),
  numeric('maker_fee_rate', (order) => order.feeRates?.maker ?? null),
  numeric('taker_fee_rate', (order) => order.feeRates?.taker ?? null),
  bool('post_only', (order) => order.postOnly),
  bool('reduce_only', (order) => order.reduceOnly),
  text('self_trade_prevention', (order) => order.selfTradePrevention),
  time('expires_at', (order) => order.expiresAtMs),
  time('created_at', (order) => order.createdAtMs),
];

const trades: readonly Column<Trade>[] = [
  text('market_id', (trade) => trade.marketId),
  integer('trade_id', (trade) => trade.tradeId),
  integer('price_ticks', (trade) => trade.priceTicks),
  integer('size_lots', (trade) => trade.sizeLots),
  text('taker_side', (trade) => trade.takerSide),
  integer('maker_order_id', (trade) => trade.makerOrderId),
  integer('taker_order_id', (trade) => trade.takerOrderId),
  integer('maker_account_id', (trade) => trade.makerAccountId),
  integer('taker_account_id', (trade) => trade.takerAccountId),
  numeric('maker_fee', (trade) => trade.makerFee),
  numeric('taker_fee', (trade) => trade.takerFee),
  integer('book_sequence', (trade) => trade.bookSequence),
  time('executed_at', (trade) => trade.executedAtMs),
];

const matchedBets: readonly Column<MatchedBet>[] = [
  integer('account_id', (bet) => bet.accountId),
  integer('order_id', (bet) => bet.orderId),
  text('quote_id', (bet) => bet.quoteId),
  text('market_id', (bet) => bet.marketId),
  time('created_at', (bet) => bet.createdAtMs),
];

const transfers: readonly Column<LedgerTransfer>[] = [
  integer('transfer_id', (transfer) => transfer.transferId),
  integer('debit_account_id', (transfer) => transfer.debitAccountId),
  integer('credit_account_id', (transfer) => transfer.creditAccountId),
  text('asset', (transfer) => transfer.asset),
  numeric('amount', (transfer) => transfer.amount),
  text('reason', (transfer) => transfer.reason),
  text('reference', (transfer) => transfer.reference),
  numeric('debit_balance_after', (transfer) => transfer.debitBalanceAfter),
  numeric('credit_balance_after', (transfer) => transfer.creditBalanceAfter),
  time('created_at', (transfer) => transfer.createdAtMs),
];

const balances: readonly Column<Balance>[] = [
  integer('account_id', (balance) => balance.accountId),
  text('asset', (balance) => balance.asset),
  numeric('available', (balance) => balance.available),
  numeric('held', (balance) => balance.held),
];

const positions: readonly Column<Position>[] = [
  integer('account_id', (position) => position.accountId),
  text('market_id', (position) => position.market.definition.marketId),
  integer('size_lots', (position) => position.sizeLots),
  numeric('cost_basis', (position) => position.costBasis),
  numeric('realized_pnl', (position) => position.realizedPnl),
  numeric('fees', (position) => position.fees),
  integer('settled_lots', (position) => position.settledLots),
];

const books: readonly Column<Market>[] = [
  text('market_id', (market) => market.definition.marketId),
  integer('book_sequence', (market) => market.bookSequence),
  integer('last_price_ticks', (market) => market.lastPriceTicks),
  integer('open_interest_lots', (market) => market.openInterestLots),
  time('changed_at', (market) => market.changedAtMs),
  integer('pending_low_ticks', (market) => market.pendingTicks?.lowTicks ?? null),
  integer('pending_high_ticks', (market) => market.pendingTicks?.highTicks ?? null),
  integer('owed_short_lots', (market) => market.owedShortLots),
];

const accountChanges: readonly Column<AccountChangeRow>[] = [
  integer('account_id', (change) => change.accountId),
  integer('sequence', (change) => change.sequence),
  integer('ledger_sequence', (change) => change.ledgerSequence),
  // Arrays of arrays would have to be of one length, so the ids travel, and are stored, as text.
  text('order_ids', (change) => change.orderIds.join(' ')),
];

const keys: readonly Column<KeyRow>[] = [
  text('owner', (row) => row.owner),
  text('key', (row) => row.key),
  text('fingerprint', (row) => row.fingerprint),
  text('outcomes', (row) => row.outcomes),
  time('created_at', (row) => row.createdAtMs),
  time('expires_at', (row) => row.expiresAtMs),
];

/** What one batch writes besides its fence and its journal row. */
export interface BatchRows {
  readonly newOrders: readonly Order[];
  readonly changedOrders: readonly Order[];
  readonly trades: readonly Trade[];
  readonly matchedBets: readonly MatchedBet[];
  readonly transfers: readonly LedgerTransfer[];
  readonly balances: readonly Balance[];
  readonly positions: readonly Position[];
  readonly books: readonly Market[];
  readonly accountChanges: readonly AccountChangeRow[];
  readonly keys: readonly KeyRow[];
}

interface Part<T> {
  readonly columns: readonly Column<T>[];
  readonly rows: (batch: BatchRows) => readonly T[];
  /** The statement around `source`, a row set with the part's columns. */
  readonly sql: (source: string) => string;
  /** Whether it returns a row for each row it found, so that they can be counted. */
  readonly counted?: boolean;
}

const names = <T>(columns: readonly Column<T>[]): string => columns.map(({ name }) => name).join(', ');
const insert =
  <T>(table: string, columns: readonly Column<T>[], conflict = '') =>
  (source: string) =>
    `INSERT INTO ${table} (${names(columns)}) SELECT ${names(columns)} FROM ${source} AS source ${conflict}`;

/** Inserts, or replaces what stands under the first `keyLength` columns. */
const upsert = <T>(table: string, columns: readonly Column<T>[], keyLength: number) => {
  const changes = columns.slice(keyLength).map(({ name }) => `${name} = excluded.${name}`);
  const conflict = `ON CONFLICT (${names(columns.slice(0, keyLength))}) DO UPDATE SET ${changes.join(', ')}`;
  return insert(table, columns, conflict);
};

function part<T>(value: Part<T>): Part<unknown> {
  return value as Part<unknown>;
}

const PARTS: readonly Part<unknown>[] = [
  part<Order>({
    columns: [...orderKey, ...orderProgress, ...orderTerms],
    rows: (batch) => batch.newOrders,
    sql: insert('orders', [...orderKey, ...orderProgress, ...orderTerms]),
  }),
  part<Order>({
    columns: [...orderKey, ...orderProgress],
    rows: (batch) => batch.changedOrders,
    sql: (source) =>
      `UPDATE orders SET ${orderProgress.map(({ name }) => `${name} = source.${name}`).join(', ')} ` +
      `FROM ${source} AS source ` +
      `WHERE orders.account_id = source.account_id AND orders.order_id = source.order_id RETURNING 1`,
    counted: true,
  }),
  part<Trade>({ columns: trades, rows: (batch) => batch.trades, sql: insert('trades', trades) }),
  part<MatchedBet>({
    columns: matchedBets,
    rows: (batch) => batch.matchedBets,
    sql: insert('matched_bets', matchedBets),
  }),
  part<LedgerTransfer>({
    columns: transfers,
    rows: (batch) => batch.transfers,
    sql: insert('transfers', transfers),
  }),
  part<Balance>({ columns: balances, rows: (batch) => batch.balances, sql: upsert('balances', balances, 2) }),
  part<Position>({
    columns: positions,
    rows: (batch) => batch.positions,
    sql: upsert('positions', positions, 2),
  }),
  part<Market>({ columns: books, rows: (batch) => batch.books, sql: upsert('market_books', books, 1) }),
  part<AccountChangeRow>({
    columns: accountChanges,
    rows: (batch) => batch.accountChanges,
    sql: insert('account_changes', accountChanges),
  }),
  part<KeyRow>({ columns: keys, rows: (batch) => batch.keys, sql: upsert('command_keys', keys, 2) }),
];

/** The columns that commits fill, by table, for what compares them with the tables. */
export const WRITTEN_COLUMNS: Readonly<Record<string, readonly Pick<Column<never>, 'name' | 'type'>[]>> = {
  orders: [...orderKey, ...orderProgress, ...orderTerms],
  trades,
  matched_bets: matchedBets,
  transfers,
  balances,
  positions,
  market_books: books,
  account_changes: accountChanges,
  command_keys: keys,
};

export interface Fence {
  readonly epoch: number;
  readonly previousSequence: number;
  readonly leaseMs: number;
}

export interface JournalRow {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly engineVersion: number;
  readonly timeMs: number;
  readonly commands: string;
  readonly actors: string | null;
  readonly stateHash: string;
  readonly stateParts: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** Scalars of the fence and the journal row come first, then one array for each column of each part. */
const SCALARS = 14;

/** A prepared statement and its parameters. */
export interface CommitStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The statement for a batch: only the parts that have rows, since each part costs PostgreSQL the same
 * whether it writes one row or none. The few combinations that occur are each prepared once.
 *
 * Answers one row, `fenced`: 1 if this process still leads. Where a changed order has no row to change,
 * the tables are not what the state came from; the division by zero then undoes the whole statement.
 */
export function commitStatement(fence: Fence, journal: JournalRow, batch: BatchRows): CommitStatement {
  const used = PARTS.filter(({ rows }) => rows(batch).length > 0);
  const mask = PARTS.reduce((bits, part, index) => (used.includes(part) ? bits | (1 << index) : bits), 0);
  let text = STATEMENTS.get(mask);
  if (text === undefined) {
    text = buildStatement(used);
    STATEMENTS.set(mask, text);
  }
  return { name: `core-commit-${mask}`, text, values: valuesOf(used, fence, journal, batch) };
}

const STATEMENTS = new Map<number, string>();

function buildStatement(used: readonly Part<unknown>[]): string {
  let parameter = SCALARS;
  const parts = used.map(({ columns, sql, counted }, index) => {
    // Side by side in a select list, `unnest` yields rows as they are needed; in FROM each array would be copied first.
    const arrays = columns.map(({ name, type }) => `unnest($${++parameter}::${type}[]) AS ${name}`);
    const body = sql(`(SELECT ${arrays.join(', ')} FROM fence)`);
    return { name: counted === true ? 'changed' : `part_${index}`, body };
  });
  const updates = parts.some(({ name }) => name === 'changed') ? '(SELECT count(*) FROM changed)' : '0';
  return `
    WITH fence AS (
      UPDATE core_leader
      SET last_sequence = $2::int8, state_parts = $9::text,
          lease_until = clock_timestamp() + $11::int8 * interval '1 millisecond'
      WHERE epoch = $1::int8 AND last_sequence = $10::int8
      RETURNING 1
    ), journaled AS (
      INSERT INTO journal
        (epoch, last_sequence, first_sequence, engine_version, committed_at, commands, actors, state_hash, previous_hash, hash)
      SELECT $1::int8, $2::int8, $3::int8, $4::int4, timestamptz 'epoch' + $5::int8 * interval '1 millisecond',
        $6::text, $14::text, $7::text, $8::text, $12::text
      FROM fence
    )${parts.map(({ name, body }) => `, ${name} AS (${body})`).join('')}
    SELECT fenced, CASE WHEN fenced = 1 AND ${updates} <> $13::int8 THEN 1 / (fenced - 1) END AS mismatch
    FROM (SELECT count(*)::int4 AS fenced FROM fence) AS fences`;
}

function valuesOf(
  used: readonly Part<unknown>[],
  fence: Fence,
  journal: JournalRow,
  batch: BatchRows,
): unknown[] {
  const values: unknown[] = [
    fence.epoch,
    journal.lastSequence,
    journal.firstSequence,
    journal.engineVersion,
    journal.timeMs,
    journal.commands,
    journal.stateHash,
    journal.previousHash,
    journal.stateParts,
    fence.previousSequence,
    fence.leaseMs,
    journal.hash,
    batch.changedOrders.length,
    journal.actors,
  ];
  for (const { columns, rows } of used) {
    const batchRows = rows(batch);
    for (const { type, fill } of columns) {
      const array = new PgArray(type, batchRows.length);
      for (const row of batchRows) fill(array, row);
      values.push(array.finish());
    }
  }
  return values;
}

/** How many rows a batch writes, for the figures of the bench and the metrics. */
export function countRows(batch: BatchRows): number {
  return PARTS.reduce((sum, { rows }) => sum + rows(batch).length, 2);
}
