/**
 * The values that tables hold, and how a changed thing gives them. A table's columns are declared once, as
 * data; where the values go is the matter of a sink: into the journal's bytes, or into arrays for PostgreSQL.
 */

/** What a column holds. A `bigint` fits PostgreSQL's eight bytes, a `numeric` has 38 digits at most. */
export type ValueKind = 'integer' | 'bigint' | 'numeric' | 'text' | 'time' | 'bool';

/** What a column of any table of the core holds; a `small` integer fits four bytes, so the driver gives it as a number. */
export type ColumnKind = ValueKind | 'small';

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

export interface Column<
  T,
  Name extends string = string,
  Kind extends ColumnKind = ValueKind,
  V extends Value = Value,
> {
  readonly name: Name;
  readonly kind: Kind;
  readonly isNullable: boolean;
  readonly read: (row: T) => V;
  readonly fill: (sink: ValueSink, row: T) => void;
}

/** A column of a table, whatever fills it. */
export type StoredColumn = Pick<Column<never>, 'name' | 'kind'>;

/** Columns of whatever gives the same values. */
export type ColumnList = readonly Column<never>[];

/** The same of tables that few batches write, which the journal's effects do not keep. */
export type AnyColumn = Column<never, string, ColumnKind>;
export type AnyColumns = readonly AnyColumn[];

type Define<T, Kind extends ColumnKind, Most extends Value> = <const Name extends string, V extends Most>(
  name: Name,
  read: (row: T) => V,
) => Column<T, Name, Kind, V>;

/** One for each kind of column. */
interface Definitions<T, Null extends null> {
  readonly integer: Define<T, 'integer', number | Null>;
  readonly numeric: Define<T, 'numeric', bigint | Null>;
  readonly text: Define<T, 'text', string | Null>;
  readonly time: Define<T, 'time', number | Null>;
}

interface ColumnsOf<T> extends Definitions<T, never> {
  readonly bigint: Define<T, 'bigint', bigint>;
  readonly bool: Define<T, 'bool', boolean>;
  readonly small: Define<T, 'small', number>;
  /** Columns of which a value may be null. */
  readonly nullable: Definitions<T, null>;
}

/** Declares columns of a `T` in memory; each is its own closure, so that rows need no look-ups. */
export function declareColumns<T>(): ColumnsOf<T> {
  const definitions = <Null extends null>(isNullable: boolean): Definitions<T, Null> => ({
    integer: (name, read) => {
      return { name, kind: 'integer', isNullable, read, fill: (sink, row) => sink.integer(read(row)) };
    },
    numeric: (name, read) => {
      return { name, kind: 'numeric', isNullable, read, fill: (sink, row) => sink.numeric(read(row)) };
    },
    text: (name, read) => {
      return { name, kind: 'text', isNullable, read, fill: (sink, row) => sink.text(read(row)) };
    },
    time: (name, read) => {
      return { name, kind: 'time', isNullable, read, fill: (sink, row) => sink.time(read(row)) };
    },
  });
  return {
    ...definitions<never>(false),
    bigint: (name, read) => {
      return { name, kind: 'bigint', isNullable: false, read, fill: (sink, row) => sink.bigint(read(row)) };
    },
    bool: (name, read) => {
      return { name, kind: 'bool', isNullable: false, read, fill: (sink, row) => sink.bool(read(row)) };
    },
    small: (name, read) => {
      return { name, kind: 'small', isNullable: false, read, fill: (sink, row) => sink.integer(read(row)) };
    },
    nullable: definitions<null>(true),
  };
}

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
