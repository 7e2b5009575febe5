/**
 * The journal as an outbox. A follower has a durable cursor under its name and gets every entry after it, in order,
 * inside the transaction that advances the cursor: its writes there happen exactly once, outside effects at least once.
 * It follows the journal alone, so it misses nothing across a crash or while it was not running. What this process has
 * just committed itself need not be read back.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { inTransaction } from '../../kit/database/transaction.js';
import { Boundary } from '../../kit/tracing/boundary.js';
import type { SpanBegin } from '../../kit/tracing/tracing.js';
import { SingleWriter } from '../requests/single-writer.js';
import { cursorOf } from '../projection/projector.js';
import { checkConsecutive } from '../journal/journal-chain.js';
import { type EntryEffects, readEffects } from '../journal/journal-reader.js';
import type { EntryRange } from '../journal/recent-rows.js';

const ENTRIES_PER_STEP = 500;

export interface FollowOptions {
  /**
   * Where a follower of a new name begins: with the first row there ever was, or with the first one that is not archived
   * yet. The first is the default.
   */
  readonly from?: 'the beginning' | 'what is kept';
  /** How many entries a step takes at most; 500 by default. */
  readonly limit?: number;
  /** Entries that begin later than this after the last step are left to the next one; one is always taken. */
  readonly sequencesMax?: number;
}

export type FollowJournal = (entries: readonly EntryEffects[], transaction: PoolClient) => Promise<void>;

/** What a step has done. */
export interface FollowedStep {
  /** How many entries it handed over. */
  readonly entries: number;
  /** Whether more was there already when it began. */
  readonly isMoreLeft: boolean;
}

const steps = new Boundary();

@Injectable()
export class JournalFollower {
  constructor(
    private readonly core: SingleWriter,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /**
   * Hands over what is new, without its commands. Followers of one name take turns. The tables hold everything of the
   * entries that are handed over.
   */
  async step(
    name: string,
    follow: FollowJournal,
    { from = 'the beginning', limit = ENTRIES_PER_STEP, sequencesMax = Infinity }: FollowOptions = {},
  ): Promise<FollowedStep> {
    await this.core.projected();
    return inTransaction(this.pool, async (client) => {
      await client.query(
        // What a follower has still to read stays out of the archive.
        `INSERT INTO journal_cursors (name, sequence, reads_journal)
         VALUES ($1, CASE WHEN $2 THEN coalesce((SELECT first_sequence - 1 FROM journal ORDER BY last_sequence LIMIT 1), 0) ELSE 0 END, true)
         ON CONFLICT (name) DO UPDATE SET reads_journal = true WHERE NOT journal_cursors.reads_journal`,
        [name, from === 'what is kept'],
      );
      const { rows } = await client.query<{ sequence: string }>(
        'SELECT sequence FROM journal_cursors WHERE name = $1 FOR UPDATE',
        [name],
      );
      const untilSequence = await cursorOf(client);
      const after = Number(rows[0]!.sequence);
      const beginsBy = Math.min(after + sequencesMax, untilSequence);
      const entries = await this.read(client, { afterSequence: after, limit, untilSequence, beginsBy });
      const begin = entries[0]?.firstSequence;
      if (begin !== undefined && begin !== after + 1)
        throw new Error(
          `${name} follows the journal from ${after}, but what comes before ${begin} is archived`,
        );
      checkConsecutive(after, entries);
      if (entries.length > 0) {
        await steps.run(
          `follow ${name}`,
          () => follow(entries, client),
          () => spanOf(entries),
        );
        await client.query('UPDATE journal_cursors SET sequence = $2 WHERE name = $1', [
          name,
          entries.at(-1)!.lastSequence,
        ]);
      }
      const last = entries.at(-1)?.lastSequence ?? untilSequence;
      return { entries: entries.length, isMoreLeft: last < untilSequence };
    });
  }

  /** Steps until nothing is new. */
  async catchUp(name: string, follow: FollowJournal): Promise<void> {
    while ((await this.step(name, follow)).entries > 0);
  }

  /**
   * From memory where the journal has the last of them: each row's hash covers the row before it, so then it has them all.
   */
  private async read(client: PoolClient, range: EntryRange): Promise<readonly EntryEffects[]> {
    const recent = this.core.recentRows?.take(range) ?? [];
    const last = recent.at(-1);
    if (last !== undefined) {
      const { rows } = await client.query<{ hash: string }>(
        'SELECT hash FROM journal WHERE last_sequence = $1',
        [last.lastSequence],
      );
      if (rows[0]?.hash === last.hash) return recent;
    }
    const { afterSequence, limit, untilSequence, beginsBy } = range;
    return readEffects(client, afterSequence, limit, untilSequence, beginsBy);
  }
}

function spanOf(entries: readonly EntryEffects[]): SpanBegin {
  return {
    links: entries.flatMap(({ trace }) => trace ?? []),
    attributes: { 'tradepost.last_sequence': entries.at(-1)!.lastSequence },
  };
}
