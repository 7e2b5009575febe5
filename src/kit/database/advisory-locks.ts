import type { ClientBase } from 'pg';
import { rowsOf, type Transaction } from './transaction.js';

/** A number, a text, or a text in a namespace. All processes must use the same keys: never change one. */
export type LockKey = number | string | readonly [space: number, name: string];

/** Takes a lock until the transaction ends, after waiting for its holder. A shared lock may have many holders. */
export async function lockUntilCommit(
  transaction: Transaction,
  key: LockKey,
  { isShared = false }: { readonly isShared?: boolean } = {},
): Promise<void> {
  const [expression, values] = expressionOf(key);
  const lock = isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  await rowsOf(transaction, `SELECT ${lock}(${expression})`, values);
}

/** Takes a lock until the connection ends, or `unlockSession`; false if another session holds it. */
export async function tryLockSession(client: ClientBase, key: LockKey): Promise<boolean> {
  const [expression, values] = expressionOf(key);
  const statement = `SELECT pg_try_advisory_lock(${expression}) AS locked`;
  const [row] = await rowsOf<{ locked: boolean }>(client, statement, values);
  return row!.locked;
}

export async function unlockSession(client: ClientBase, key: LockKey): Promise<void> {
  const [expression, values] = expressionOf(key);
  await rowsOf(client, `SELECT pg_advisory_unlock(${expression})`, values);
}

function expressionOf(key: LockKey): [expression: string, values: unknown[]] {
  if (typeof key === 'number') return ['$1::bigint', [key]];
  if (typeof key === 'string') return ['hashtextextended($1, 0)', [key]];
  return ['$1::integer, hashtext($2)', [...key]];
}
