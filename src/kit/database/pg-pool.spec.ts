import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.js';
import { typeOrmOptions } from './database.module.js';
import { createPgPool } from './pg-pool.js';

describe('pooled connections', () => {
  /** What happens to a connection that the server closes while its holder runs no query. */
  const lose = (client: PoolClient): boolean => client.emit('error', new Error('terminated by somebody'));

  it('may be lost while somebody has one, and nothing ends with them', async () => {
    const database = await createTestDatabase();
    const pool = createPgPool(database.url);
    const dataSource = await new DataSource(typeOrmOptions(database.url)).initialize();
    try {
      const { master } = dataSource.driver as unknown as { readonly master: Pool };
      for (const each of [pool, master]) {
        const client = await each.connect();
        expect(lose(client)).toBe(true);
        client.release(true);
        expect((await each.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      }
    } finally {
      await dataSource.destroy();
      await pool.end();
      await database.drop();
    }
  });
});
