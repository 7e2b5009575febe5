/** Gives back the room of idempotency keys whose time is over. They count as absent already. */
import type { Pool } from 'pg';

const KEYS_PER_STATEMENT = 1_000;
const STATEMENTS_MAX = 10;

/**
 * Deletes a bounded number. A commit may renew some of these keys at the same moment, in another order: so
 * this waits for no row. What a commit has locked is skipped, and what this has locked is gone in a moment.
 */
export async function forgetExpiredKeys(pool: Pick<Pool, 'query'>): Promise<void> {
  for (let run = 0; run < STATEMENTS_MAX; run++) {
    const { rowCount } = await pool.query(
      `WITH expired AS MATERIALIZED (
         SELECT owner, key FROM command_keys WHERE expires_at < clock_timestamp()
         ORDER BY owner, key LIMIT $1 FOR UPDATE SKIP LOCKED)
       DELETE FROM command_keys k USING expired e WHERE k.owner = e.owner AND k.key = e.key`,
      [KEYS_PER_STATEMENT],
    );
    if ((rowCount ?? 0) < KEYS_PER_STATEMENT) return;
  }
}
