/** The rows of the simulated store: how statements bring them in, and how queries take them out, as the driver would. */
import {
  ACCOUNT_CHANGE_COLUMNS,
  BALANCE_COLUMNS,
  BOOK_FIGURES,
  BOOK_REST,
  ORDER_FIELDS_COLUMNS,
  POSITION_COLUMNS,
  PROTECTION_COLUMNS,
} from '../../../src/core/tables/core-tables.js';
import {
  ACCOUNT_COLUMNS,
  ASSET_COLUMNS,
  EVENT_GROUP_COLUMNS,
  HOLD_COLUMNS,
  LIMITS_COLUMNS,
  MARKET_COLUMNS,
  SETTLEMENT_COLUMNS,
} from '../../../src/core/tables/reference-tables.js';
import { packedOrderColumns } from '../../../src/core/tables/packed-order.js';
import { rowValue } from '../../../src/core/tables/table-row.js';
import type { AnyColumns, ColumnKind, Value, ValueKind } from '../../../src/core/tables/values.js';
import { type AccountScope, readPart } from '../../../src/core/state/state-queries.js';
import { STATE_PARTS, type StatePart } from '../../../src/core/state/state-pages.js';

/** Times are milliseconds, figures numbers or, where they may be large, bigints; see `ColumnKind`. */
export type Row = Readonly<Record<string, Value | Buffer>>;
export type Table = Map<string, Row>;

/** A row that is written, or deleted where it is null. */
export interface Change {
  readonly table: string;
  readonly key: string;
  readonly row: Row | null;
}

export class Tables {
  private constructor(private readonly tables: Map<string, Table>) {}

  static empty(): Tables {
    return new Tables(new Map());
  }

  of(table: string): Table {
    let rows = this.tables.get(table);
    if (rows === undefined) this.tables.set(table, (rows = new Map()));
    return rows;
  }

  /** The rows themselves never change. */
  copy(): Tables {
    return new Tables(new Map([...this.tables].map(([name, rows]) => [name, new Map(rows)])));
  }

  /** Returns the changes that undo these, in their order. */
  apply(changes: readonly Change[]): Change[] {
    const undo: Change[] = [];
    for (const { table, key, row } of changes) {
      const rows = this.of(table);
      undo.unshift({ table, key, row: rows.get(key) ?? null });
      if (row === null) rows.delete(key);
      else rows.set(key, row);
    }
    return undo;
  }
}

/** Tables that commits write beside the projector: columns, and how many of them tell a row from all others. */
const REFERENCE_TABLES: Readonly<Record<string, { columns: AnyColumns; keyLength: number }>> = {
  assets: { columns: ASSET_COLUMNS, keyLength: 1 },
  accounts: { columns: ACCOUNT_COLUMNS, keyLength: 1 },
  markets: { columns: MARKET_COLUMNS, keyLength: 1 },
  event_groups: { columns: EVENT_GROUP_COLUMNS, keyLength: 1 },
  settlements: { columns: SETTLEMENT_COLUMNS, keyLength: 2 },
  holds: { columns: HOLD_COLUMNS, keyLength: 2 },
  trading_limits: { columns: LIMITS_COLUMNS, keyLength: 0 },
};

export function referenceTable(table: string): { columns: AnyColumns; keyLength: number } {
  const found = REFERENCE_TABLES[table];
  if (found === undefined) throw new Error(`the simulated store has no table ${table}`);
  return found;
}

/** A value as a parameter or as JSON, as the store keeps it. */
export function stored(kind: ColumnKind, value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (kind === 'time') return new Date(value as string).getTime();
  if (kind === 'numeric' || kind === 'bigint') return BigInt(value as string);
  if (kind === 'integer' || kind === 'small') return Number(value);
  return value as Value;
}

const PG_EPOCH_MS = 946_684_800_000n;
const HEADER_BYTES = 20;

/** The values of an array in PostgreSQL's binary format. */
export function valuesOf(kind: ValueKind, bytes: Buffer): Value[] {
  if (bytes.readInt32BE(0) === 0) return [];
  const count = bytes.readInt32BE(12);
  const values: Value[] = [];
  let place = HEADER_BYTES;
  for (let index = 0; index < count; index++) {
    const length = bytes.readInt32BE(place);
    place += 4;
    if (length < 0) values.push(null);
    else {
      values.push(valueOf(kind, bytes.subarray(place, place + length)));
      place += length;
    }
  }
  return values;
}

function valueOf(kind: ValueKind, bytes: Buffer): Value {
  switch (kind) {
    case 'bool':
      return bytes[0] === 1;
    case 'text':
      return bytes.toString();
    case 'integer':
      return Number(bytes.readBigInt64BE());
    case 'bigint':
      return bytes.readBigInt64BE();
    case 'time':
      return Number(bytes.readBigInt64BE() / 1000n + PG_EPOCH_MS);
    case 'numeric':
      return numericOf(bytes);
  }
}

function numericOf(bytes: Buffer): bigint {
  const digits = bytes.readInt16BE(0);
  const weight = bytes.readInt16BE(2);
  let value = 0n;
  for (let digit = 0; digit <= weight; digit++)
    value = value * 10_000n + (digit < digits ? BigInt(bytes.readInt16BE(8 + 2 * digit)) : 0n);
  return bytes.readUInt16BE(4) === 0x4000 ? -value : value;
}

/** The columns of a row as the driver gives them. */
export function read(columns: AnyColumns, row: Row): Record<string, Value> {
  return Object.fromEntries(
    columns.map(({ name, kind }) => [name, rowValue(kind, (row[name] ?? null) as Value)]),
  );
}

const CHOSEN_NAMES = ['market_id', 'client_order_id', 'client_list_id'];
/** The columns of each packed text, as the query names them. */
const PACKED_TEXTS = [...packedOrderColumns((column) => column).matchAll(/ROW\((.*?)\)::text AS (\w+)/g)].map(
  ([, columns, name]) => ({ name: name!, columns: columns!.split(', ') }),
);

function packedOrder(row: Row): Record<string, Value> {
  const textOf = (column: string): string => {
    const value = row[column] ?? null;
    if (typeof value === 'boolean') return value ? 't' : 'f';
    return value === null ? '' : String(value);
  };
  const names = CHOSEN_NAMES.map((name) => [name, (row[name] ?? null) as Value]);
  const texts = PACKED_TEXTS.map(({ name, columns }) => [name, `(${columns.map(textOf).join(',')})`]);
  return { ...Object.fromEntries(names), ...Object.fromEntries(texts) };
}

const LIVE = ['open', 'partially_filled', 'untriggered'];
const isLive = ({ status }: Row): boolean => LIVE.includes(status as string);

/** Whether a position is not of a settled market. */
export function isUnsettled(tables: Tables, { market_id }: Row): boolean {
  return tables.of('markets').get(market_id as string)?.status !== 'settled';
}

function rowsOfPart(tables: Tables, part: StatePart, scope: AccountScope): Record<string, Value>[] {
  const all = (table: string): Row[] => [...tables.of(table).values()];
  const withOrders = new Set(all('orders').flatMap((row) => (isLive(row) ? [row.account_id] : [])));
  const isNeeded = (row: Row): boolean =>
    scope === 'all' ||
    withOrders.has(row.account_id) ||
    tables.of('accounts').get(String(row.account_id))?.owner === null;
  const from = (table: string, columns: AnyColumns, filter: (row: Row) => boolean = () => true) =>
    all(table)
      .filter(filter)
      .map((row) => read(columns, row));
  switch (part) {
    case 'assets':
      return from('assets', ASSET_COLUMNS);
    case 'markets':
      return all('markets').flatMap((market) => {
        const book = tables.of('market_books').get(market.market_id as string);
        return book === undefined
          ? []
          : [{ ...read(MARKET_COLUMNS, market), ...read([...BOOK_FIGURES, ...BOOK_REST], book) }];
      });
    case 'groups':
      return from('event_groups', EVENT_GROUP_COLUMNS);
    case 'accounts':
      return from('accounts', ACCOUNT_COLUMNS, isNeeded);
    case 'balances':
      return from('balances', BALANCE_COLUMNS, isNeeded);
    case 'positions':
      return from(
        'positions',
        POSITION_COLUMNS,
        (row) => isNeeded(row) && (scope === 'all' || isUnsettled(tables, row)),
      );
    case 'holds':
      return from('holds', HOLD_COLUMNS);
    case 'limits':
      return from('trading_limits', LIMITS_COLUMNS);
    case 'protections':
      return from('maker_protections', PROTECTION_COLUMNS);
    case 'orders':
      return all('orders').filter(isLive).map(packedOrder);
    case 'orderFields':
      return from('order_fields', ORDER_FIELDS_COLUMNS, ({ account_id, order_id }) =>
        all('orders').some(
          (row) => row.account_id === account_id && row.order_id === order_id && isLive(row),
        ),
      );
  }
}

/** By the text of the query. */
const PART_QUERIES = new Map(
  STATE_PARTS.flatMap((part) =>
    (['needed', 'all'] as const).map((scope) => [readPart(part, scope).trim(), { part, scope }] as const),
  ),
);

export function rowsOfQuery(tables: Tables, text: string): Record<string, Value>[] {
  const query = PART_QUERIES.get(text.trim());
  if (query === undefined) throw new Error(`the simulated store does not know the query: ${text}`);
  return rowsOfPart(tables, query.part, query.scope);
}

export function lastChangeOf(tables: Tables, accountId: number): number {
  const [accountIdColumn] = ACCOUNT_CHANGE_COLUMNS;
  return Math.max(
    0,
    ...[...tables.of('account_changes').values()]
      .filter((row) => row[accountIdColumn.name] === accountId)
      .map(({ sequence }) => sequence as number),
  );
}
