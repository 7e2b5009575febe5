import { Inject, Injectable, Logger } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../database/pg-pool.js';
import { AgreedTime } from './agreed-time.js';
import { BackgroundLoop } from './background-loop.js';

const PURGED_EVERY_MS = 60_000;
const ROWS_PER_STATEMENT_MAX = 5_000;

/** Rows, or values of a column, with a limited lifetime. */
export interface PurgedRows {
  readonly table: string;
  /** The columns of the primary key. */
  readonly key: readonly string[];
  /** An SQL condition for expired rows. */
  readonly over: string;
  /** The column of the index that finds them; the oldest go first. */
  readonly orderBy: string;
  /** The column that becomes NULL, where the row stays. */
  readonly clears?: string;
}

/**
 * Deletes or clears at most `limit` expired rows, and returns how many. It skips locked rows, so two purges, or a purge and a
 * request, cannot deadlock.
 */
export async function purge(
  pool: Pick<Pool, 'query'>,
  { table, key, over, orderBy, clears }: PurgedRows,
  limit = ROWS_PER_STATEMENT_MAX,
): Promise<number> {
  const sameKey = key.map((column) => `purged.${column} = oldest.${column}`).join(' AND ');
  const change =
    clears === undefined
      ? `DELETE FROM ${table} purged USING oldest`
      : `UPDATE ${table} purged SET ${clears} = NULL FROM oldest`;
  const { rowCount } = await pool.query(
    `WITH oldest AS MATERIALIZED (
       SELECT ${key.join(', ')} FROM ${table} WHERE ${over} ORDER BY ${orderBy} LIMIT $1 FOR UPDATE SKIP LOCKED)
     ${change} WHERE ${sameKey}`,
    [limit],
  );
  return rowCount ?? 0;
}

/** Deletes expired rows once a minute, in the leader of the background work. */
@Injectable()
export class Purges {
  private readonly logger = new Logger(Purges.name);
  readonly duty: BackgroundLoop;
  private readonly purged: PurgedRows[] = [];

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    time: AgreedTime,
  ) {
    const options = { name: Purges.name, everyMs: PURGED_EVERY_MS, time };
    this.duty = new BackgroundLoop(options, () => this.purgeNext());
  }

  /** For what modules declare in `purges`, before the service has started. */
  add(...purged: readonly PurgedRows[]): void {
    this.purged.push(...purged);
  }

  /** Runs one statement for each table. Returns whether more rows are left; one failure does not stop the others. */
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
