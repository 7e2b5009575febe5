import type { Pool, PoolClient } from 'pg';
import { EntityManager } from 'typeorm';
import { GuardedPool, whileHolding } from './held-connections.js';

/** Statements in a transaction of somebody else, and nothing else of it. A client and a pool of pg are such, too. */
export interface Statements {
  /** One statement, with its parameters as `$1`, `$2`, … */
  // The caller says what rows it asks for.
  // eslint-disable-next-line typescript/no-unnecessary-type-parameters
  query<Row extends object>(
    statement: string,
    parameters?: unknown[],
  ): Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>;
}

/** Where a statement runs: in a transaction of TypeORM or pg, or of somebody else, or, given a pool, in its own. */
export type Transaction = EntityManager | Statements;

/** The rows of a statement whose top level is a SELECT, or an INSERT with RETURNING. */
export async function rowsOf<Row extends object>(
  transaction: Transaction,
  statement: string,
  parameters: unknown[],
): Promise<Row[]> {
  if (transaction instanceof EntityManager) return transaction.query<Row[]>(statement, parameters);
  return (await transaction.query<Row>(statement, parameters)).rows;
}

/**
 * Runs `work` in a transaction on one connection of the pool; `begin` may replace plain `BEGIN`. Every use of a pool's
 * client goes through this function, so that the held connection is tracked.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
  begin = 'BEGIN',
): Promise<Result> {
  const client = await pool.connect();
  try {
    return await whileHolding(pool instanceof GuardedPool ? pool.second : 'refused', async () => {
      await client.query(begin);
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    });
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}
