/** Rows as checkpoints keep them and as the loader reads them: figures are text, times milliseconds, so they survive JSON. */
import type { Column, Columns, Value, ValueKind } from '../projection/values.js';

type RowValue<C extends Column<never>> = C['kind'] extends 'integer' | 'bigint' | 'numeric'
  ? string | Extract<ReturnType<C['read']>, null>
  : ReturnType<C['read']>;

export type RowOf<C extends Columns> = {
  -readonly [Each in C[number] as Each['name']]: RowValue<Each>;
};

/** The row of a thing. */
export function rowFrom<T, const C extends readonly Column<T>[]>(columns: C, thing: T): RowOf<C> {
  const row: Record<string, Value> = {};
  for (const { name, kind, read } of columns) row[name] = rowValue(kind, read(thing));
  return row as RowOf<C>;
}

function rowValue(kind: ValueKind, value: Value): Value {
  if (value === null) return null;
  return kind === 'integer' || kind === 'bigint' || kind === 'numeric' ? `${value}` : value;
}
