/**
 * The columns of entities. A column is named as its property, in snake case. What pg reads of it is what the property
 * holds, unless it has a transformer: a bigint and a numeric are text.
 */
import { Check, Column, type ColumnOptions, PrimaryGeneratedColumn, type ValueTransformer } from 'typeorm';
import { amount, type Amount } from '../../domain/money/amount.js';
import { snakeCase } from '../snake-case.js';

interface TextOptions extends ColumnOptions {
  /** The values that the table takes. */
  readonly oneOf?: readonly string[];
}

interface KeyOptions {
  readonly name?: string;
}

interface ReadOptions extends KeyOptions {
  readonly nullable?: boolean;
  /** False where it is read only by who asks for it. */
  readonly select?: boolean;
}

/** A bigint that fits a safe integer: sequences, ticks, lots. */
const safeInteger: ValueTransformer = {
  from: (value: string | null): number | null => (value === null ? null : Number(value)),
  to: (value: unknown): unknown => value,
};

/** A `numeric(38,0)` in units of 10^-18, as `Amount`. */
export const units: ValueTransformer = {
  from: (value: string | null): Amount | null => (value === null ? null : amount(BigInt(value))),
  to: (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value),
};

/** The default of a column: the time of the transaction. */
export const NOW = (): string => 'now()';

const INTEGER = { type: 'bigint', transformer: safeInteger } as const;
const AMOUNT = { type: 'numeric', precision: 38, scale: 0, transformer: units } as const;

function columnOf(options: ColumnOptions): PropertyDecorator {
  return (prototype, property) => {
    Column({ name: snakeCase(String(property)), ...options })(prototype, property);
  };
}

function keyOf(options: ColumnOptions): PropertyDecorator {
  return columnOf({ ...options, primary: true });
}

function textOf({ oneOf, ...options }: TextOptions): PropertyDecorator {
  return (prototype, property) => {
    const name = options.name ?? snakeCase(String(property));
    Column({ ...options, name, type: 'text' })(prototype, property);
    if (oneOf) Check(`${name} IN (${oneOf.map((value) => `'${value}'`).join(', ')})`)(prototype, property);
  };
}

/** The keys of tables. */
export const key = {
  /** A number that PostgreSQL gives out, as text. Only one that is `BY DEFAULT` may be inserted. */
  identity:
    (generatedIdentity: 'ALWAYS' | 'BY DEFAULT' = 'ALWAYS'): PropertyDecorator =>
    (prototype, property) => {
      const name = snakeCase(String(property));
      PrimaryGeneratedColumn('identity', { name, type: 'bigint', generatedIdentity })(prototype, property);
    },
  text: (options: TextOptions = {}) => textOf({ ...options, primary: true }),
  /** As text. */
  bigint: () => keyOf({ type: 'bigint' }),
  integer: () => keyOf({ type: 'integer' }),
  smallint: () => keyOf({ type: 'smallint' }),
  time: () => keyOf({ type: 'timestamptz' }),
} as const;

/** All other columns. */
export const column = {
  text: (options: TextOptions = {}) => textOf(options),
  /** As text. */
  bigint: (options: ColumnOptions = {}) => columnOf({ ...options, type: 'bigint' }),
  integer: (options: ColumnOptions = {}) => columnOf({ ...options, type: 'integer' }),
  smallint: (options: ColumnOptions = {}) => columnOf({ ...options, type: 'smallint' }),
  amount: (options: ColumnOptions = {}) => columnOf({ ...options, ...AMOUNT }),
  boolean: (options: ColumnOptions = {}) => columnOf({ ...options, type: 'boolean' }),
  /** To the microsecond. */
  time: (options: ColumnOptions = {}) => columnOf({ ...options, type: 'timestamptz' }),
  /** To the millisecond, as a `Date` is. */
  msTime: (options: ColumnOptions = {}) => columnOf({ ...options, type: 'timestamptz', precision: 3 }),
  date: (options: ColumnOptions = {}) => columnOf({ ...options, type: 'date' }),
  bytes: (options: ColumnOptions = {}) => columnOf({ ...options, type: 'bytea' }),
  json: (options: ColumnOptions = {}) => columnOf({ ...options, type: 'jsonb' }),
} as const;

const READ_ONLY = { insert: false, update: false } as const;

/**
 * Columns of the tables that the core writes. The entities of the groups only read them, so these refuse to take part in
 * inserts and updates, and turn the driver's text into the types that the rest of the code works with.
 */
export const readOnly = {
  integerKey: (options: KeyOptions = {}) => keyOf({ ...READ_ONLY, ...options, ...INTEGER }),
  textKey: (options: KeyOptions = {}) => keyOf({ ...READ_ONLY, ...options, type: 'text' }),
  integer: (options: ReadOptions = {}) => columnOf({ ...READ_ONLY, ...options, ...INTEGER }),
  amount: (options: ReadOptions = {}) => columnOf({ ...READ_ONLY, ...options, ...AMOUNT }),
  text: (options: ReadOptions = {}) => columnOf({ ...READ_ONLY, ...options, type: 'text' }),
  boolean: (options: ReadOptions = {}) => columnOf({ ...READ_ONLY, ...options, type: 'boolean' }),
  /** Worked out by PostgreSQL from other columns of its row. */
  generatedBoolean: (options: KeyOptions & { readonly asExpression: string }) =>
    columnOf({ ...READ_ONLY, ...options, type: 'boolean', generatedType: 'STORED' }),
  time: (options: ReadOptions = {}) => columnOf({ ...READ_ONLY, ...options, type: 'timestamptz' }),
} as const;
