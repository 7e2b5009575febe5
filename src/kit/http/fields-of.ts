import { formatAmount, type Amount } from '../../domain/money/amount.js';
import { type SnakeCase, snakeCase } from '../snake-case.js';

/** A value as answers have it: times in RFC 3339, amounts as decimal strings, all else as it is. */
type Answered<Value> = Value extends Date | Amount ? string : Value;

/** What was made of names before: as many as the code has. */
const SNAKE_CASE = new Map<string, string>();

/**
 * The fields of a row that an answer has as they are, under their names in snake case. They are named, so that no new column
 * is published by accident.
 */
export function fieldsOf<Row extends object, Name extends keyof Row & string>(
  row: Row,
  ...names: readonly Name[]
): { [Each in Name as SnakeCase<Each>]: Answered<Row[Each]> } {
  const fields: Record<string, unknown> = {};
  for (const name of names) fields[fieldNameOf(name)] = answered(row[name]);
  return fields as { [Each in Name as SnakeCase<Each>]: Answered<Row[Each]> };
}

function fieldNameOf(name: string): string {
  let field = SNAKE_CASE.get(name);
  if (field === undefined) SNAKE_CASE.set(name, (field = snakeCase(name)));
  return field;
}

function answered(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? formatAmount(value) : value;
}
