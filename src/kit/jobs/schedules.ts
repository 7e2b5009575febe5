import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../database/pg-pool.js';
import { inTransaction } from '../database/transaction.js';
import { addJob } from './add-job.js';
import { AgreedTime } from './agreed-time.js';
import { BackgroundLoop } from './background-loop.js';
import type { LeaderDuty } from './job-leader.js';
import type { Schedule } from './schedule.js';

const LOOK_EVERY_MS = 1_000;

interface DueRow {
  readonly name: string;
  readonly next_at: Date;
  readonly now: Date;
}

/**
 * Adds a job where a schedule is due, in the transaction that notes when it is due next. The time is the database's, while the
 * process agrees. What was due while nobody looked makes one job, however often that was.
 */
@Injectable()
export class Schedules {
  private readonly schedules: Schedule[] = [];
  private readonly loop: BackgroundLoop;
  private isPlanned = false;
  readonly duty: LeaderDuty = {
    begin: async () => {
      this.isPlanned = false;
      if (this.schedules.length > 0) await this.loop.begin();
    },
    end: () => this.loop.end(),
  };

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    time: AgreedTime,
  ) {
    this.loop = new BackgroundLoop(
      { name: 'Schedules', everyMs: LOOK_EVERY_MS, time },
      async ({ isFirst }) => {
        if (isFirst) await this.plan();
        return this.addDue();
      },
    );
  }

  /** For what plugins declare in `schedules`, before the service has started. */
  add(...schedules: readonly Schedule[]): void {
    this.schedules.push(...schedules);
  }

  /** A schedule that is new, or another than before, is due next after now. */
  private async plan(): Promise<void> {
    const { rows } = await this.pool.query<{ now: Date }>('SELECT now()');
    for (const schedule of this.schedules) {
      const { task, cron } = schedule;
      await this.pool.query(
        `INSERT INTO plugin_schedules AS known (name, cron, next_at) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET cron = excluded.cron, next_at = excluded.next_at WHERE known.cron <> excluded.cron`,
        [task.storedName, cron, schedule.nextAfter(rows[0]!.now)],
      );
    }
  }

  private async addDue(): Promise<boolean> {
    await inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<DueRow>(
        `SELECT name, next_at, now() FROM plugin_schedules
         WHERE name = ANY ($1) AND next_at <= now() ORDER BY name FOR UPDATE SKIP LOCKED`,
        [this.schedules.map(({ task }) => task.storedName)],
      );
      for (const { name, next_at, now } of rows) {
        const schedule = this.schedules.find(({ task }) => task.storedName === name)!;
        // One after the other, and no second one that waits.
        const options = { key: `schedule ${name}`, queue: `schedule ${name}` };
        await addJob(client, schedule.task, { due_at: next_at.toISOString() }, options);
        await client.query('UPDATE plugin_schedules SET next_at = $2 WHERE name = $1', [
          name,
          schedule.nextAfter(now),
        ]);
      }
    });
    return false;
  }
}
