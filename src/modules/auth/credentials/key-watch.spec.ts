import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { openPool } from '../../../../test/support/pool.js';
import { KeyWatch } from './key-watch.js';

describe('the watch over keys', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
    await pool.query(`INSERT INTO users (username, password_hash) VALUES ('owner', 'x')`);
    await insertKey('key_a');
    await insertKey('key_b');
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  function insertKey(id: string): Promise<unknown> {
    return pool.query(
      `INSERT INTO api_keys (api_key_id, key_hash, prefix, name, scopes, account_owner)
       VALUES ($1, $1, 'tpk', 'Bot', '{}', 'client:demo')`,
      [id],
    );
  }

  /** Waits until the watch has looked that late. */
  async function lookedAt(watch: KeyWatch, fromMs: number): Promise<void> {
    await eventually(() => expect(watch.unchangedUntilMs(Number.MAX_VALUE)).toBeGreaterThanOrEqual(fromMs));
  }

  async function newWatch(): Promise<KeyWatch> {
    const watch = new KeyWatch(pool);
    expect(watch.unchangedUntilMs(performance.now())).toBe(-Infinity);
    await lookedAt(watch, 0);
    return watch;
  }

  /** What is known of what was read before a statement. */
  async function after(statement: string): Promise<number> {
    const watch = await newWatch();
    const readAtMs = performance.now();
    await pool.query(statement);
    const doneAtMs = performance.now();
    await lookedAt(watch, doneAtMs);
    const untilMs = watch.unchangedUntilMs(readAtMs);
    if (untilMs !== -Infinity) expect(untilMs).toBeGreaterThanOrEqual(doneAtMs);
    // What is read from now on holds in any case.
    expect(watch.unchangedUntilMs(performance.now())).toBeGreaterThanOrEqual(doneAtMs);
    return untilMs;
  }

  it.each([
    ['uses', `UPDATE api_keys SET last_used_at = now(), previous_last_used_at = now()`],
    ['a new key', `INSERT INTO api_keys SELECT * FROM api_keys WHERE false`],
    ['a user whose address changes', `UPDATE users SET email = 'new@example.com'`],
  ])('takes %s for no change', async (_what, statement) => {
    expect(await after(statement)).not.toBe(-Infinity);
  });

  it.each([
    ['a scope that goes', `UPDATE api_keys SET scopes = '{account:read}'`],
    ['a key that is deleted', `DELETE FROM api_keys WHERE api_key_id = 'key_b'`],
    ['a user who is locked', `UPDATE users SET user_status = 1`],
  ])('tells of %s', async (_what, statement) => {
    expect(await after(statement)).toBe(-Infinity);
  });

  it('tells of a change whose transaction ends after others that began later', async () => {
    const watch = await newWatch();
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`UPDATE api_keys SET name = 'Renamed'`);
      const readAtMs = performance.now();
      await pool.query('UPDATE users SET user_status = user_status');
      await lookedAt(watch, performance.now());
      const laterMs = performance.now();
      await lookedAt(watch, laterMs);
      expect(watch.unchangedUntilMs(readAtMs)).toBe(-Infinity);
      expect(watch.unchangedUntilMs(laterMs)).toBeGreaterThanOrEqual(laterMs);
      await client.query('COMMIT');
      await lookedAt(watch, performance.now());
      expect(watch.unchangedUntilMs(laterMs)).toBe(-Infinity);
    } finally {
      client.release();
    }
  });

  it('knows nothing after a look that failed, or that another server answered', async () => {
    const watch = await newWatch();
    const readAtMs = performance.now();
    const asking = vi.spyOn(pool, 'query');
    asking.mockRejectedValueOnce(new Error('away'));
    await eventually(() => expect(watch.unchangedUntilMs(Number.MAX_VALUE)).toBe(-Infinity));
    await lookedAt(watch, performance.now());
    expect(watch.unchangedUntilMs(readAtMs)).toBe(-Infinity);

    const laterMs = performance.now();
    const { rows } = await pool.query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot');
    const elsewhere = { ...rows[0]!, server: 'another', hasChanged: false };
    asking.mockResolvedValueOnce({ rows: [elsewhere] } as never);
    await lookedAt(watch, laterMs);
    expect(watch.unchangedUntilMs(laterMs)).toBe(-Infinity);
    asking.mockRestore();
  });

  it('is told of every column but when a key was used', async () => {
    const { rows } = await pool.query<{ column_name: string }>(
      `SELECT column_name FROM information_schema.columns WHERE table_name = 'api_keys'
       EXCEPT SELECT event_object_column FROM information_schema.triggered_update_columns WHERE trigger_name = 'api_keys_changed'`,
    );
    expect(rows.map(({ column_name }) => column_name).sort()).toEqual([
      'last_used_at',
      'previous_last_used_at',
    ]);
  });
});
