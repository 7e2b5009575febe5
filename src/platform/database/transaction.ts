import type { ClientBase, Pool } from 'pg';
import { EntityManager } from 'typeorm';

/** Where a statement runs: in a transaction of TypeORM or of pg, or, given a pool, in one of its own. */
export type Transaction = EntityManager | ClientBase | Pool;

/** The rows of a statement that is a SELECT at its top, whatever it does below. */
export async function rowsOf<Row extends object>(
  transaction: Transaction,
  statement: string,
  parameters: unknown[],
): Promise<Row[]> {
  if (transaction instanceof EntityManager) return transaction.query<Row[]>(statement, parameters);
  return (await transaction.query<Row>(statement, parameters)).rows;
}
