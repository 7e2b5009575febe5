import type { EntityManager } from 'typeorm';
import { CONFLICT } from './http/error-codes.js';
import { ApiError } from './http/errors.js';

/** Each try skips a whole run of taken numbers, so more are only needed while many insert at once. */
const TRIES_MAX = 20;

/** A table whose rows are known by numbers that callers may choose, and by a counter otherwise. */
export interface NumberedTable {
  readonly table: string;
  readonly column: string;
  /** Gives the numbers that nobody has chosen. */
  readonly sequence: string;
}

/**
 * Inserts a row under the chosen number, or under the next one of the counter that is free. `insert` says
 * whether it could: false where the number was taken. Answers the number, or `undefined` where the chosen one
 * is taken. Throws `conflict` (409) where no number was found.
 *
 * The names of the table are written into statements: they come from the code, never from a caller.
 */
export async function insertNumbered(
  manager: EntityManager,
  table: NumberedTable,
  chosen: number | undefined,
  insert: (number: string) => Promise<boolean>,
): Promise<string | undefined> {
  if (chosen !== undefined) {
    if (!(await insert(String(chosen)))) return undefined;
    await stepOver(manager, table, chosen);
    return String(chosen);
  }
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const number = await nextNumber(manager, table);
    if (await insert(number)) return number;
    await skipRun(manager, table, number);
  }
  throw new ApiError(CONFLICT, 'No number was free; send the request again.');
}

async function nextNumber(manager: EntityManager, { sequence }: NumberedTable): Promise<string> {
  const [row] = await manager.query<[{ number: string }]>(`SELECT nextval('${sequence}') AS number`);
  return row.number;
}

/** Moves the counter past a chosen number that it would have given next. */
async function stepOver(manager: EntityManager, { sequence }: NumberedTable, chosen: number): Promise<void> {
  await manager.query(
    `SELECT setval('${sequence}', $1::bigint) FROM ${sequence} WHERE last_value + is_called::int = $1::bigint`,
    [chosen],
  );
}

/**
 * Moves the counter to the end of the run of taken numbers that it has come upon. It must be that run: a
 * number chosen far away, such as the greatest there is, must not carry the counter off. It may be moved back
 * a little by another transaction at the same time; then it comes upon a run again.
 */
async function skipRun(
  manager: EntityManager,
  { table, column, sequence }: NumberedTable,
  taken: string,
): Promise<void> {
  await manager.query(
    `SELECT setval('${sequence}', run.last)
     FROM ${sequence} counter, (
       SELECT ${column} AS last FROM ${table} taken
       WHERE ${column} >= $1 AND EXISTS (SELECT FROM ${table} WHERE ${column} = $1)
         AND NOT EXISTS (SELECT FROM ${table} next WHERE next.${column} = taken.${column} + 1)
       ORDER BY ${column} LIMIT 1
     ) run
     WHERE run.last > counter.last_value`,
    [taken],
  );
}
