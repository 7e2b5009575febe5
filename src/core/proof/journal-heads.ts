import { Inject, Injectable } from '@nestjs/common';
import type { ClientBase, Pool } from 'pg';
import type { SignedJournalHead } from '../../domain/proof/journal-head.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import type { PurgedRows } from '../../kit/jobs/purges.js';

/** The name under which the tree follows the journal. */
export const TREE_FOLLOWER = 'journal_tree';

/** Afterwards one an hour stays for good; any two are proven consistent without those between. */
export const OLD_HEADS: PurgedRows = {
  table: 'journal_heads',
  key: ['tree_size'],
  over: `time < now() - interval '30 days' AND NOT is_first_of_hour`,
  orderBy: 'time',
};

/** Signed in the transaction that added what it covers. */
export async function insertHead(client: ClientBase, head: SignedJournalHead): Promise<void> {
  await client.query(
    `INSERT INTO journal_heads (tree_size, time, is_first_of_hour, head)
     VALUES ($1, $2, NOT EXISTS (
       SELECT FROM journal_heads WHERE time >= date_trunc('hour', $2::timestamptz, 'UTC')), $3)`,
    [head.tree_size, head.time, JSON.stringify(head)],
  );
}

/** What the service has signed of its journal. */
@Injectable()
export class JournalHeads {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** The newest one; null before the first is signed. */
  async newest(): Promise<SignedJournalHead | null> {
    const { rows } = await this.pool.query<{ head: SignedJournalHead }>(
      'SELECT head FROM journal_heads ORDER BY tree_size DESC LIMIT 1',
    );
    return rows[0]?.head ?? null;
  }

  /** Whether there is nothing to sign: no commit yet. */
  async isJournalEmpty(): Promise<boolean> {
    const { rows } = await this.pool.query('SELECT FROM journal LIMIT 1');
    return rows.length === 0;
  }

  /** How long the oldest commit has waited for a head; 0 where none waits. */
  async unsignedSeconds(): Promise<number> {
    const { rows } = await this.pool.query<{ seconds: number }>(
      `SELECT extract(epoch FROM now() - committed_at)::float8 AS seconds FROM journal
       WHERE last_sequence > coalesce((SELECT sequence FROM journal_cursors WHERE name = $1), 0)
       ORDER BY last_sequence LIMIT 1`,
      [TREE_FOLLOWER],
    );
    return Math.max(0, rows[0]?.seconds ?? 0);
  }

  /** Those from a height on, the oldest first. */
  async from(height: number, limit: number): Promise<SignedJournalHead[]> {
    const { rows } = await this.pool.query<{ head: SignedJournalHead }>(
      'SELECT head FROM journal_heads WHERE tree_size >= $1 ORDER BY tree_size LIMIT $2',
      [height, limit],
    );
    return rows.map(({ head }) => head);
  }
}
