import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { onClient, queryOnce } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { purge } from '../../kit/jobs/purges.js';
import { EXPIRED_KEYS } from './expired-keys.js';

describe('the purge of expired keys', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 1 });
  });
  beforeEach(async () => {
    await pool.query(`
      TRUNCATE command_keys;
      INSERT INTO command_keys (owner, key, fingerprint, outcomes, created_at, expires_at)
      SELECT 'request:ann', 'k' || i, '', '[]', now(), now() - make_interval(secs => 3 - i)
      FROM generate_series(1, 2) i
      UNION ALL SELECT 'request:ann', 'kept', '', '[]', now(), NULL
      UNION ALL SELECT 'request:ann', 'young', '', '[]', now(), now() + interval '1 hour'`);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const keys = async (): Promise<string[]> => {
    const rows = await queryOnce<{ key: string }>(database.url, 'SELECT key FROM command_keys ORDER BY key');
    return rows.map(({ key }) => key);
  };

  it('removes what has expired and nothing else', async () => {
    await purge(pool, EXPIRED_KEYS);
    expect(await keys()).toEqual(['kept', 'young']);
  });

  it('neither waits for a commit that renews the same keys nor stands in its way', async () => {
    const renew = `
      INSERT INTO command_keys (owner, key, fingerprint, outcomes, created_at, expires_at)
      VALUES ('request:ann', $1, '', '[]', now(), now() + interval '1 day')
      ON CONFLICT (owner, key) DO UPDATE SET expires_at = excluded.expires_at`;
    await onClient(database.url, async (commit) => {
      await commit.query('BEGIN');
      await commit.query(renew, ['k2']);
      const purging = purge(pool, EXPIRED_KEYS);
      // The purge is done, or waits for k2 with k1 in its hands, which would be a deadlock.
      await commit.query(renew, ['k1']);
      await purging;
      await commit.query('COMMIT');
    });
    expect((await keys()).filter((key) => key.startsWith('k')).length).toBeGreaterThanOrEqual(2);
    expect(await keys()).toContain('k2');
  });
});
