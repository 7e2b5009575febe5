import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../database/pg-pool.js';

const FAILURE_LENGTH_MAX = 500;

/** A consumer that was tried in vain. */
export interface FailingConsumer {
  readonly name: string;
  readonly attempts: number;
  readonly since: Date;
  readonly failure: string;
}

/** The table of all consumers that were ever loaded. */
@Injectable()
export class ConsumerRecords {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * They are there. A listener that was not begins after all events that are there already. `types` are those of the events
   * that it listens to, empty for consumers of the ledger.
   */
  async seen(
    consumers: readonly { readonly name: string; readonly types: readonly string[] }[],
  ): Promise<void> {
    await this.pool.query(
      `INSERT INTO plugin_consumers AS known (name, types, place)
       SELECT name, types, (SELECT coalesce(max(place), 0) FROM listened_events)
       FROM json_to_recordset($1::json) AS seen (name text, types text[])
       ON CONFLICT (name) DO UPDATE SET seen_at = now(), types = excluded.types`,
      [JSON.stringify(consumers)],
    );
  }

  async failed(name: string, attempts: number, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    await this.pool.query(
      `UPDATE plugin_consumers SET attempts = $2, failing_since = coalesce(failing_since, now()), failure = $3 WHERE name = $1`,
      [name, attempts, message.replaceAll('\0', '').slice(0, FAILURE_LENGTH_MAX)],
    );
  }

  async succeeded(name: string): Promise<void> {
    await this.pool.query(
      `UPDATE plugin_consumers SET attempts = 0, failing_since = NULL, failure = NULL WHERE name = $1 AND attempts > 0`,
      [name],
    );
  }

  /** Those among these. */
  async failing(names: readonly string[]): Promise<readonly FailingConsumer[]> {
    const { rows } = await this.pool.query<FailingConsumer>(
      `SELECT name, attempts, failing_since AS since, failure FROM plugin_consumers
       WHERE name = ANY ($1) AND attempts > 0 ORDER BY name`,
      [names],
    );
    return rows;
  }
}
