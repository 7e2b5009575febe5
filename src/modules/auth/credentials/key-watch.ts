import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import { handleForAll } from '../../../kit/turns/owner.js';

/** Who looks more often learns nothing: well below the age at which an answer about a key is asked for again. */
const LOOK_EVERY_MS = 250;

/** No look is that far apart from the one before and still goes on from it. */
export const OLD_KEY_CHANGES: PurgedRows = {
  table: 'key_changes',
  key: ['made_by'],
  over: `made_at < now() - interval '1 day'`,
  orderBy: 'made_by',
};

/** A transaction that was made and is not in the snapshot of the last look has been committed since. */
const LOOK = {
  name: 'key-changes',
  text: `
    SELECT pg_current_snapshot()::text AS snapshot, pg_postmaster_start_time()::text AS server,
      $1::text IS NULL OR EXISTS (
        SELECT FROM key_changes
        WHERE made_by >= pg_snapshot_xmin($1::pg_snapshot)::text::bigint
          AND NOT pg_visible_in_snapshot(made_by::text::xid8, $1::pg_snapshot)
      ) AS "hasChanged"`,
};

interface Look {
  readonly snapshot: string;
  readonly server: string;
  readonly hasChanged: boolean;
}

/**
 * Whether anything has changed that keys are good for, asked about all of them at once while somebody asks for some. A
 * crowd of keys, each of which comes once in some seconds, costs four small queries a second.
 */
@Injectable()
export class KeyWatch {
  /** Null before the first look, and after one that failed: then there is nothing to go on from. */
  private last: Look | null = null;
  /** What was read before may have changed. */
  private unchangedSinceMs = Infinity;
  private lookedAtMs = -Infinity;
  private isLooking = false;

  constructor(@Inject(PG_POOL) private readonly pool: Pick<Pool, 'query'>) {}

  /**
   * Up to which moment it is known that nothing has changed since another one; the beginning of time where that is not
   * known. Both on the monotonic clock. Looks again, in the background, where that was a while ago.
   */
  unchangedUntilMs(sinceMs: number): number {
    if (!this.isLooking && performance.now() - this.lookedAtMs >= LOOK_EVERY_MS)
      void handleForAll(() => this.look());
    return sinceMs > this.unchangedSinceMs ? this.lookedAtMs : -Infinity;
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    const beganMs = performance.now();
    try {
      const { rows } = await this.pool.query<Look>({ ...LOOK, values: [this.last?.snapshot ?? null] });
      const look = rows[0]!;
      // Numbers of transactions tell nothing of those of another server, such as one that has taken over.
      const goesOn = !look.hasChanged && look.server === this.last?.server;
      if (!goesOn) this.unchangedSinceMs = performance.now();
      this.last = look;
      this.lookedAtMs = beganMs;
    } catch {
      // What is remembered grows old, and is asked for one by one.
      this.last = null;
      this.unchangedSinceMs = Infinity;
      this.lookedAtMs = beganMs;
    } finally {
      this.isLooking = false;
    }
  }
}
