/**
 * Rows as checkpoints keep them and as the loader reads them: figures are text, times milliseconds, so they survive JSON.
 * What a row becomes in memory follows from its columns, too: `tick_size` is `tickSize`, and the time `opens_at` is
 * `opensAtMs`.
 */
import type { Amount } from '../../domain/money/amount.js';
import type { AnyColumn, AnyColumns, Column, ColumnKind, Value } from './values.js';
import { type CamelCase, camelCase } from './camel-case.js';

type RowValue<C extends AnyColumn> = C['kind'] extends 'integer' | 'bigint' | 'numeric'
  ? string | Extract<ReturnType<C['read']>, null>
  : ReturnType<C['read']>;

export type TableRow<C extends AnyColumns> = {
  -readonly [Each in C[number] as Each['name']]: RowValue<Each>;
};

type FieldName<C extends AnyColumn> = C['kind'] extends 'time'
  ? `${CamelCase<C['name']>}Ms`
  : CamelCase<C['name']>;

type FieldValue<C extends AnyColumn> = C['kind'] extends 'numeric'
  ? Amount | Extract<ReturnType<C['read']>, null>
  : ReturnType<C['read']>;

/** What the row of a thing says of it. */
export type FieldsOf<C extends AnyColumns> = {
  readonly [Each in C[number] as FieldName<Each>]: FieldValue<Each>;
};

/** The row of a thing. */
export function rowFrom<T, const C extends readonly Column<T, string, ColumnKind>[]>(
  columns: C,
  thing: T,
): TableRow<C> {
  const row: Record<string, Value> = {};
  for (const { name, kind, read } of columns) row[name] = rowValue(kind, read(thing));
  return row as TableRow<C>;
}

/** A value as a row has it. */
export function rowValue(kind: ColumnKind, value: Value): Value {
  if (value === null) return null;
  return kind === 'integer' || kind === 'bigint' || kind === 'numeric' ? `${value}` : value;
}

/** A column that a later version has added is absent from rows of old checkpoints. */
type StoredValue = Value | undefined;

const word = (value: StoredValue): Value => value ?? null;
const figure = (value: StoredValue): Value => (value == null ? null : Number(value));
const digits = (value: StoredValue): Value => (value == null ? null : BigInt(value));

const PARSERS: Readonly<Record<ColumnKind, (value: StoredValue) => Value>> = {
  integer: figure,
  bigint: digits,
  numeric: digits,
  text: word,
  time: word,
  bool: (value) => value ?? false,
  small: word,
};

/** All that have the fields of these columns are copies of it, so that they have one shape, whose fields need no looking up. */
function emptyFields(names: readonly string[]): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, null]));
}

const fieldName = ({ name, kind }: AnyColumn): string => camelCase(name) + (kind === 'time' ? 'Ms' : '');

/** Reads the fields of some columns from rows, which may have others, too. */
export function fieldReader<const C extends AnyColumns>(columns: C): (row: TableRow<C>) => FieldsOf<C> {
  const names = columns.map(({ name }) => name);
  const fieldNames = columns.map(fieldName);
  const parsers = columns.map(({ kind }) => PARSERS[kind]);
  const empty = emptyFields(fieldNames);
  return (row) => {
    const fields = { ...empty };
    for (let place = 0; place < names.length; place++) {
      const value = (row as Readonly<Record<string, StoredValue>>)[names[place]!];
      fields[fieldNames[place]!] = parsers[place]!(value);
    }
    return fields as FieldsOf<C>;
  };
}

/** The same from values as they are in memory, in the order of the columns. */
export function valueReader<const C extends AnyColumns>(
  columns: C,
): (values: readonly Value[]) => FieldsOf<C> {
  const fieldNames = columns.map(fieldName);
  const empty = emptyFields(fieldNames);
  return (values) => {
    const fields = { ...empty };
    for (let place = 0; place < fieldNames.length; place++) fields[fieldNames[place]!] = values[place]!;
    return fields as FieldsOf<C>;
  };
}

/** Sets what was read of a thing that is there already. */
export function setFields<T extends object>(thing: T, fields: Partial<T>): void {
  Object.assign(thing, fields);
}
