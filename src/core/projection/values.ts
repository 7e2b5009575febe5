/**
 * The values that tables hold, and how a changed thing gives them. A table's columns are declared once, as
 * data; where the values go is the matter of a sink: into the journal's bytes, or into arrays for PostgreSQL.
 */

/** What a column holds. A `bigint` fits PostgreSQL's eight bytes, a `numeric` has 38 digits at most. */
export type ValueKind = 'integer' | 'bigint' | 'numeric' | 'text' | 'time' | 'bool';

/** A value outside of any sink; times are milliseconds since 1970. */
export type Value = number | bigint | string | boolean | null;

/** Takes the values of one column, one after the other. */
export interface ValueSink {
  /** A safe integer. */
  integer(value: number | null): void;
  /** An integer below 2^63 that need not be safe as a number. */
  bigint(value: bigint): void;
  numeric(value: bigint | null): void;
  text(value: string | null): void;
  time(ms: number | null): void;
  bool(value: boolean): void;
}

export interface Column<T> {
  readonly name: string;
  readonly kind: ValueKind;
  readonly fill: (sink: ValueSink, row: T) => void;
}

export const integer = <T>(name: string, read: (row: T) => number | null): Column<T> => ({
  name,
  kind: 'integer',
  fill: (sink, row) => sink.integer(read(row)),
});

export const bigint = <T>(name: string, read: (row: T) => bigint): Column<T> => ({
  name,
  kind: 'bigint',
  fill: (sink, row) => sink.bigint(read(row)),
});

export const numeric = <T>(name: string, read: (row: T) => bigint | null): Column<T> => ({
  name,
  kind: 'numeric',
  fill: (sink, row) => sink.numeric(read(row)),
});

export const text = <T>(name: string, read: (row: T) => string | null): Column<T> => ({
  name,
  kind: 'text',
  fill: (sink, row) => sink.text(read(row)),
});

export const time = <T>(name: string, read: (row: T) => number | null): Column<T> => ({
  name,
  kind: 'time',
  fill: (sink, row) => sink.time(read(row)),
});

export const bool = <T>(name: string, read: (row: T) => boolean): Column<T> => ({
  name,
  kind: 'bool',
  fill: (sink, row) => sink.bool(read(row)),
});

/** Puts a value that was read back into a sink. */
export function putValue(sink: ValueSink, kind: ValueKind, value: Value): void {
  switch (kind) {
    case 'integer':
      return sink.integer(value as number | null);
    case 'bigint':
      return sink.bigint(value as bigint);
    case 'numeric':
      return sink.numeric(value as bigint | null);
    case 'text':
      return sink.text(value as string | null);
    case 'time':
      return sink.time(value as number | null);
    case 'bool':
      return sink.bool(value as boolean);
  }
}
