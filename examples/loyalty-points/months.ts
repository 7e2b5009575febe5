import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { type DueRun, JobTask, PG_POOL } from '../../src/index.js';

export const CLOSE_MONTH = new JobTask<DueRun>('close_month');

/** Writes down what was reached by the end of each month. A job may run again, so it changes nothing that is there. */
@Injectable()
export class Months {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  async close({ due_at }: DueRun): Promise<void> {
    await this.pool.query(
      `INSERT INTO acme_points_months SELECT account_id, date_trunc('month', $1::timestamptz), volume FROM acme_points
       ON CONFLICT DO NOTHING`,
      [due_at],
    );
  }
}
