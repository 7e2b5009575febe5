import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { Clock } from '../../kit/clock.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { SingleWriter } from '../requests/single-writer.js';
import { cursorOf } from '../projection/projector.js';

/**
 * The last sequence that was committed by a time. Commits are numbered and timed in the same order, so this halves
 * the commits until one boundary is left: as many index look-ups as the sequence has binary digits.
 */
const searchIn = (commits: 'journal' | 'journal_archived'): string => `(
    WITH RECURSIVE search (low, high) AS (
      SELECT 0::bigint, coalesce(max(last_sequence), 0) FROM ${commits}
      UNION ALL
      SELECT CASE WHEN committed_at <= asked.time THEN last_sequence ELSE low END,
        CASE WHEN committed_at <= asked.time THEN greatest(high, last_sequence)
          ELSE least(first_sequence, middle) - 1 END
      FROM search
      CROSS JOIN LATERAL (SELECT (low + high + 1) / 2) AS halved (middle)
      CROSS JOIN LATERAL (
        SELECT first_sequence, last_sequence, committed_at
        FROM ${commits} WHERE last_sequence >= middle ORDER BY last_sequence LIMIT 1
      ) AS entry
      WHERE low < high
    )
    SELECT low FROM search WHERE low >= high
  )`;

/** Everything in the journal is younger than what was archived. */
const SEQUENCES_AT = `
  SELECT CASE WHEN asked.time < (SELECT committed_at FROM journal ORDER BY last_sequence LIMIT 1)
    THEN ${searchIn('journal_archived')} ELSE ${searchIn('journal')} END AS sequence
  FROM unnest($1::timestamptz[]) WITH ORDINALITY AS asked (time, place)
  ORDER BY asked.place`;

/** Past moments as places in the ledger's one global sequence. */
@Injectable()
export class PointInTime {
  constructor(
    private readonly core: SingleWriter,
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly clock: Clock,
  ) {}

  /** The time of the service, which times commits, too. What is after it lies ahead. */
  nowMs(): number {
    return this.clock.nowMs();
  }

  /** The last sequence that was committed by the time; 0 before all. */
  async sequenceAt(timeMs: number): Promise<number> {
    await this.core.projected();
    const [sequence] = await this.sequencesAt([timeMs]);
    return sequence!;
  }

  /** For each time, in their order, the sequence up to which everything was committed by then; 0 before all. */
  async sequencesAt(timesMs: readonly number[]): Promise<number[]> {
    const { rows } = await this.pool.query<{ sequence: string }>(SEQUENCES_AT, [
      timesMs.map((timeMs) => new Date(timeMs)),
    ]);
    return rows.map(({ sequence }) => Number(sequence));
  }

  /** A sequence up to which the tables are complete, at least the last one committed at the call. */
  async present(): Promise<number> {
    await this.core.projected();
    return cursorOf(this.pool);
  }

  /** When the sequence was committed; the epoch before anything was. */
  async timeOf(sequence: number): Promise<number> {
    const { rows } = await this.pool.query<{ committed_at: Date }>(
      'SELECT committed_at FROM journal_commits WHERE last_sequence >= $1 ORDER BY last_sequence LIMIT 1',
      [sequence],
    );
    return rows[0]?.committed_at.getTime() ?? 0;
  }
}
