/**
 * Columns of the tables that the core writes. The entities of the groups only read them, so the
 * decorators refuse to take part in inserts and updates, and turn the driver's text into the types
 * that the rest of the code works with.
 */
import { Column, PrimaryColumn, type ValueTransformer } from 'typeorm';
import { amount, type Amount } from '../../domain/money/amount.js';

interface KeyOptions {
  /** The column's name in the table. */
  readonly name: string;
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

/** A `numeric(38,0)` in units of 10^-18, as `Amount`; also for columns that a group writes itself. */
export const units: ValueTransformer = {
  from: (value: string | null): Amount | null => (value === null ? null : amount(BigInt(value))),
  to: (value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value),
};

const READ_ONLY = { insert: false, update: false } as const;

export function ReadOnlyIntegerColumn(options: ReadOptions): PropertyDecorator {
  return Column({ ...READ_ONLY, ...options, type: 'bigint', transformer: safeInteger });
}

export function ReadOnlyIntegerKeyColumn(options: KeyOptions): PropertyDecorator {
  return PrimaryColumn({ ...READ_ONLY, ...options, type: 'bigint', transformer: safeInteger });
}

export function ReadOnlyAmountColumn(options: ReadOptions): PropertyDecorator {
  return Column({ ...READ_ONLY, ...options, type: 'numeric', precision: 38, scale: 0, transformer: units });
}

export function ReadOnlyTextColumn(options: ReadOptions): PropertyDecorator {
  return Column({ ...READ_ONLY, ...options, type: 'text' });
}

export function ReadOnlyTextKeyColumn(options: KeyOptions): PropertyDecorator {
  return PrimaryColumn({ ...READ_ONLY, ...options, type: 'text' });
}

export function ReadOnlyBooleanColumn(options: ReadOptions): PropertyDecorator {
  return Column({ ...READ_ONLY, ...options, type: 'boolean' });
}

/** Worked out by PostgreSQL from other columns of its row. */
export function ReadOnlyGeneratedBooleanColumn(
  options: KeyOptions & { readonly asExpression: string },
): PropertyDecorator {
  return Column({ ...READ_ONLY, ...options, type: 'boolean', generatedType: 'STORED' });
}

export function ReadOnlyTimeColumn(options: ReadOptions): PropertyDecorator {
  return Column({ ...READ_ONLY, ...options, type: 'timestamptz' });
}
