import { formatAmount, type Amount } from '../../domain/money/amount.js';
import { type SnakeCase, snakeCase } from '../snake-case.js';

/** How a value is told in an answer: times in RFC 3339, amounts as decimal strings, all else as it is. */
type Told<Value> = Value extends Date | Amount ? string : Value;

/**
 * Those fields of a row that an answer tells as they are, under their names in snake case. They are named, so that a new
 * column is told to nobody by accident.
 */
export function fieldsOf<Row extends object, Name extends keyof Row & string>(
  row: Row,
  ...names: readonly Name[]
): { [Each in Name as SnakeCase<Each>]: Told<Row[Each]> } {
  const fields: Record<string, unknown> = {};
  for (const name of names) fields[snakeCase(name)] = told(row[name]);
  return fields as { [Each in Name as SnakeCase<Each>]: Told<Row[Each]> };
}

function told(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? formatAmount(value) : value;
}
