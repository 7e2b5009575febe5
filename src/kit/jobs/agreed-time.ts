import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { Clock } from '../clock.js';
import { PG_POOL } from '../database/pg-pool.js';

/** The clocks of processes and of the database may be apart by this much. */
const APART_MS_MAX = 60_000;

/**
 * The time of schedules: of what is published, paid, expired or deleted for good because time has passed. It is the
 * process's time, while the database agrees. So nothing of it happens early because one of the two clocks was set.
 */
@Injectable()
export class AgreedTime {
  private readonly logger = new Logger('Schedules');
  private isReported = false;

  constructor(
    private readonly clock: Clock,
    @Inject(PG_POOL) private readonly pool: Pick<Pool, 'query'>,
  ) {}

  nowMs(): number {
    return this.clock.nowMs();
  }

  /** Whether the database's `now()` is the time, too. Tells operators once where it is not. */
  async isAgreed(): Promise<boolean> {
    const { rows } = await this.pool.query<{ now_ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now_ms',
    );
    const aheadMs = Math.round(rows[0]!.now_ms - this.nowMs());
    const isAgreed = Math.abs(aheadMs) <= APART_MS_MAX;
    if (isAgreed === this.isReported) {
      this.isReported = !isAgreed;
      if (isAgreed) this.logger.log({ msg: 'the clocks agree again; schedules go on' });
      else
        this.logger.error({
          database_ahead_ms: aheadMs,
          msg:
            'the clocks of the database and of this process disagree: schedules rest. Set the wrong clock right, and ' +
            'restart the process if it was its own',
        });
    }
    return isAgreed;
  }
}
