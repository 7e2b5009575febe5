import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../database/pg-pool.js';
import { JobLeader } from './job-leader.js';
import { Rounds } from './rounds.js';

const PURGED_EVERY_MS = 60_000;
const ROWS_PER_STATEMENT_MAX = 5_000;

/** Rows that are not kept for good. */
export interface PurgedRows {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** Which rows are over, as an SQL condition. */
  readonly over: string;
  /** The column of the index that finds them; the oldest go first. */
  readonly orderBy: string;
}

/**
 * Deletes at most `limit` rows that are over, and answers how many. It waits for no row: what somebody else has
 * locked is skipped, so two purges, or a purge and a request, never wait for each other in a circle.
 */
export async function purge(
  pool: Pick<Pool, 'query'>,
  { table, key, over, orderBy }: PurgedRows,
  limit = ROWS_PER_STATEMENT_MAX,
): Promise<number> {
  const sameKey = key.map((column) => `purged.${column} = oldest.${column}`).join(' AND ');
  const { rowCount } = await pool.query(
    `WITH oldest AS MATERIALIZED (
       SELECT ${key.join(', ')} FROM ${table} WHERE ${over} ORDER BY ${orderBy} LIMIT $1 FOR UPDATE SKIP LOCKED)
     DELETE FROM ${table} purged USING oldest WHERE ${sameKey}`,
    [limit],
  );
  return rowCount ?? 0;
}

/** Deletes rows that are over: once a minute, in the process that leads the background work. */
@Injectable()
export class Purges {
  private readonly logger = new Logger(Purges.name);
  private readonly purged: PurgedRows[] = [];

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    leader: JobLeader,
  ) {
    leader.assume(new Rounds({ name: Purges.name, everyMs: PURGED_EVERY_MS }, () => this.purgeNext()));
  }

  /** To be called before the service has started. */
  add(...purged: readonly PurgedRows[]): void {
    this.purged.push(...purged);
  }

  /** One statement for each table. Answers whether more rows are left; one that fails keeps none of the others. */
  async purgeNext(): Promise<boolean> {
    let isMoreLeft = false;
    for (const rows of this.purged) {
      try {
        isMoreLeft = (await purge(this.pool, rows)) === ROWS_PER_STATEMENT_MAX || isMoreLeft;
      } catch (error) {
        this.logger.warn({ err: error, table: rows.table, msg: 'a purge has failed and is tried again' });
      }
    }
    return isMoreLeft;
  }
}
