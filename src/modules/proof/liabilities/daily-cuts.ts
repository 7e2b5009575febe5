import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { PointInTime } from '../../../core/reads/point-in-time.js';
import { addJob } from '../../../kit/jobs/add-job.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import { LeaderLoop } from '../../../kit/jobs/leader-loop.js';
import { TAKE_CUT } from './cut-job.js';

const LOOK_EVERY_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** Longer than all tries of a cut take: its job is gone with a process that was killed at the last one. */
const LOST_AFTER = '6 hours';
/** The clocks of processes agree to within minutes: by then, nothing is committed any more with a time of the day before. */
const SETTLED_MS = 5 * 60_000;

/**
 * Has a cut taken of each midnight (UTC). Where nobody was there to take it, it is taken later, of the same moment. Also
 * ends what is lost, and removes what it left.
 *
 * The leader of the core runs it, since its clock times the commits: a report of a moment that has not come would be
 * signed and published for good.
 */
@Injectable()
export class DailyCuts extends LeaderLoop {
  /** The last midnight that needs nothing any more, as far as this process knows. */
  private doneMs = 0;

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly pointInTime: PointInTime,
    core: CoreService,
    private readonly time: AgreedTime,
  ) {
    super(core, { name: 'Liabilities', everyMs: LOOK_EVERY_MS, time });
  }

  protected work(): Promise<boolean> {
    return this.look();
  }

  /** Asks for the cut of the last midnight, once. Nothing is left to do afterwards. */
  async look(nowMs = this.time.nowMs()): Promise<false> {
    await this.giveUpLost();
    await this.removeFailed();
    const midnightMs = lastMidnight(nowMs);
    if (this.doneMs >= midnightMs) return false;
    const sequence = await this.pointInTime.sequenceAt(midnightMs);
    // Before there was a ledger nothing was owed.
    if (sequence > 0 && !(await this.request(new Date(midnightMs), sequence))) return false;
    this.doneMs = midnightMs;
    return false;
  }

  /** An open run would keep others from beginning. */
  private async giveUpLost(): Promise<void> {
    await this.database.query(
      `UPDATE liability_runs SET status = 'failed', finished_at = now()
       WHERE status IN ('pending', 'running') AND coalesce(started_at, created_at) < now() - interval '${LOST_AFTER}'`,
    );
  }

  /** What the tries of cuts that were given up have stored, and a frozen one since. What is published stays. */
  private async removeFailed(): Promise<void> {
    await this.database.query(
      `DELETE FROM liability_chunks WHERE cut_id IN (
         SELECT cut_id FROM liability_runs WHERE status = 'failed'
         EXCEPT SELECT cut_id FROM liability_cuts)`,
    );
  }

  /** False while the one before is still open. */
  private request(midnight: Date, sequence: number): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      const made = await manager.query<{ cut_id: string }[]>(
        `INSERT INTO liability_runs (kind, cut_at, cut_sequence) VALUES ('daily', $1, $2)
         ON CONFLICT DO NOTHING RETURNING cut_id`,
        [midnight, sequence],
      );
      for (const { cut_id } of made) await addJob(manager, TAKE_CUT, { cutId: cut_id });
      if (made.length > 0) return true;
      const there = await manager.query<unknown[]>(
        `SELECT FROM liability_runs WHERE kind = 'daily' AND cut_at = $1`,
        [midnight],
      );
      return there.length > 0;
    });
  }
}

/** The last midnight that is over for all clocks. */
export function lastMidnight(nowMs: number): number {
  return Math.floor((nowMs - SETTLED_MS) / DAY_MS) * DAY_MS;
}
