/**
 * Rows that few batches have: assets, accounts and what changes about them, markets, their groups, settlements, holds, acts
 * of operators. They travel as JSON in statements of their own, inside the same transaction, so that the
 * statement every batch runs stays short.
 */
import type { Changes } from '../../domain/engine/changes.js';
import type { SettlementChunk } from '../../domain/engine/types.js';
import { type AuditEntry, insertionOf } from '../../kit/audit/audit-entry.js';
import type { AnyColumn, Column, ColumnKind, Value } from '../tables/values.js';
import type { SqlStatement } from '../tables/statement.js';
import {
  ACCOUNT_COLUMNS,
  ACCOUNT_KEY,
  ACCOUNT_STANDING,
  ASSET_COLUMNS,
  EVENT_GROUP_COLUMNS,
  HOLD_COLUMNS,
  HOLD_KEY,
  LIMITS_COLUMNS,
  MARKET_CHANGING,
  MARKET_COLUMNS,
  MARKET_KEY,
  SETTLEMENT_COLUMNS,
} from '../tables/reference-tables.js';

type ColumnsOfThing<T> = readonly Column<T, string, ColumnKind>[];

/** A value as JSON and as a parameter can have it. */
function stored(kind: ColumnKind, value: Value): Exclude<Value, bigint> {
  if (kind === 'time' && value !== null) return new Date(value as number).toISOString();
  return typeof value === 'bigint' ? value.toString() : value;
}

function valuesOf<T>(columns: ColumnsOfThing<T>, thing: T): Exclude<Value, bigint>[] {
  return columns.map(({ kind, read }) => stored(kind, read(thing)));
}

function objectOf<T>(columns: ColumnsOfThing<T>, thing: T): object {
  const row: Record<string, Value> = {};
  for (const { name, kind, read } of columns) row[name] = stored(kind, read(thing));
  return row;
}

/** Inserts JSON objects whose members are columns of the table; those that a later version has added have their defaults. */
function insertObjects(table: string, rows: readonly object[], action = ''): SqlStatement[] {
  if (rows.length === 0) return [];
  const columns = Object.keys(rows[0]!).join(', ');
  const text = `INSERT INTO ${table} (${columns})
    SELECT ${columns} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb) ${action}`;
  return [{ text, values: [JSON.stringify(rows)], rows: rows.length }];
}

function insertion<T>(
  table: string,
  columns: ColumnsOfThing<T>,
  things: readonly T[],
  action = '',
): SqlStatement[] {
  return insertObjects(
    table,
    things.map((thing) => objectOf(columns, thing)),
    action,
  );
}

/** `name = $2, …`, with parameters counted from the first. */
function pairs(columns: readonly Pick<AnyColumn, 'name'>[], first: number, separator: string): string {
  return columns.map(({ name }, place) => `${name} = $${first + place}`).join(separator);
}

function update<T>(
  table: string,
  key: ColumnsOfThing<T>,
  columns: ColumnsOfThing<T>,
  thing: T,
): SqlStatement {
  return {
    text: `UPDATE ${table} SET ${pairs(columns, key.length + 1, ', ')} WHERE ${pairs(key, 1, ' AND ')}`,
    values: valuesOf([...key, ...columns], thing),
    rows: 1,
  };
}

function deletion<T>(table: string, key: ColumnsOfThing<T>, thing: T): SqlStatement {
  const text = `DELETE FROM ${table} WHERE ${pairs(key, 1, ' AND ')}`;
  return { text, values: valuesOf(key, thing), rows: 1 };
}

/** There is one row of them, if any. */
const REPLACE_LIMITS = `ON CONFLICT (id) DO UPDATE SET ${LIMITS_COLUMNS.map(({ name }) => `${name} = excluded.${name}`).join(', ')}`;

const chunkRow = (chunk: SettlementChunk): object => ({
  ...objectOf(SETTLEMENT_COLUMNS, chunk),
  account_ids: chunk.accountIds,
});

export function referenceStatements(changes: Changes, audit: readonly AuditEntry[]): SqlStatement[] {
  const changedMarkets = changes.markets.filter(
    (market) => market.rowChanged && !changes.newMarkets.includes(market),
  );
  const limits = changes.limits === null ? [] : [changes.limits];
  return [
    ...insertion('assets', ASSET_COLUMNS, changes.newAssets),
    ...insertion('accounts', ACCOUNT_COLUMNS, changes.newAccounts),
    ...changes.accounts.map((account) => update('accounts', ACCOUNT_KEY, ACCOUNT_STANDING, account)),
    ...insertion('markets', MARKET_COLUMNS, changes.newMarkets),
    ...insertion('event_groups', EVENT_GROUP_COLUMNS, changes.newGroups),
    ...changedMarkets.map((market) => update('markets', MARKET_KEY, MARKET_CHANGING, market)),
    ...insertion('settlements', SETTLEMENT_COLUMNS, changes.settlements),
    ...insertObjects('settlement_chunks', changes.settlementChunks.map(chunkRow)),
    ...insertion('holds', HOLD_COLUMNS, changes.newHolds),
    ...insertion('trading_limits', LIMITS_COLUMNS, limits, REPLACE_LIMITS),
    ...changes.endedHolds.map((hold) => deletion('holds', HOLD_KEY, hold)),
    ...(audit.length === 0 ? [] : [insertionOf(audit)]),
  ];
}
