import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CommitLooks } from '../../../kit/changes/commit-looks.js';
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

/**
 * Whether anything has changed that keys are good for, asked about all of them at once while somebody asks for some. A
 * crowd of keys, each of which comes once in some seconds, costs four small queries a second.
 */
@Injectable()
export class KeyWatch {
  private readonly looks: CommitLooks<unknown>;
  /** What was read before may have changed. */
  private unchangedSinceMs = Infinity;
  private lookedAtMs = -Infinity;
  private isLooking = false;

  constructor(@Inject(PG_POOL) pool: Pick<Pool, 'query'>) {
    const options = { name: 'key-changes', table: 'key_changes', columns: 'true AS one', limit: 1 };
    this.looks = new CommitLooks(pool, options);
  }

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
      const { goesOn, changes } = await this.looks.next();
      if (!goesOn || changes.length > 0) this.unchangedSinceMs = performance.now();
      this.lookedAtMs = beganMs;
    } catch {
      // What is remembered grows old, and is asked for one by one.
      this.unchangedSinceMs = Infinity;
      this.lookedAtMs = beganMs;
    } finally {
      this.isLooking = false;
    }
  }
}
