import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Awaitable } from '../awaitable.js';
import { CoalescedWork } from '../coalesced-work.js';
import { PG_POOL } from '../database/pg-pool.js';
import { rowsOf, type Transaction } from '../database/transaction.js';
import { BackgroundLoop } from '../jobs/background-loop.js';
import type { PurgedRows } from '../jobs/purges.js';
import { CommitLooks } from './commit-looks.js';

const LOOK_EVERY_MS = 250;
/** Whoever finds more takes up everything anew. */
const CHANGES_AT_ONCE_MAX = 10_000;

/** No look is that far apart from the one before and still goes on from it. */
export const OLD_CHANGES: PurgedRows = {
  table: 'changes',
  key: ['made_by', 'topic', 'changed'],
  over: `made_at < now() - interval '1 day'`,
  orderBy: 'made_by',
};

/** Who holds something of the database in memory. Where it fails, it is asked to reload with the next look. */
export interface ChangeFollower {
  /** Any of it may have changed. */
  reload(): Awaitable<void>;
  changed(keys: readonly string[]): Awaitable<void>;
}

interface Change {
  readonly topic: string;
  readonly changed: string;
}

/** To be noted in the transaction that makes the change, so that it is told once that is committed, and never otherwise. */
export async function noteChange(transaction: Transaction, topic: string, key: string): Promise<void> {
  await rowsOf(transaction, `${NOTE_CHANGE} VALUES (${THIS_TRANSACTION}, $1, $2) ${IF_NEW}`, [topic, key]);
}

/** Of a statement that notes a change beside what else it does: see `noteChange`. */
export const NOTE_CHANGE = 'INSERT INTO changes (made_by, topic, changed)';
export const THIS_TRANSACTION = 'pg_current_xact_id()::text::bigint';
export const IF_NEW = 'ON CONFLICT DO NOTHING RETURNING topic';

/**
 * Tells this process what transactions of all processes have changed, within a quarter of a second in the usual case, and
 * without Redis. After a failure followers take up everything anew. Nothing is asked while nobody follows.
 */
@Injectable()
export class Changes implements BeforeApplicationShutdown {
  private readonly followers = new Map<string, ChangeFollower>();
  /** Those that have not taken up anything yet. */
  private readonly fresh = new Set<string>();
  private readonly looks: CommitLooks<Change>;
  private readonly looking = new CoalescedWork(() => this.look());
  private readonly loop: BackgroundLoop;
  private isLooping = false;

  constructor(@Inject(PG_POOL) pool: Pool) {
    this.looks = new CommitLooks(pool, {
      name: 'changes',
      table: 'changes',
      columns: 'topic, changed',
      limit: CHANGES_AT_ONCE_MAX + 1,
    });
    this.loop = new BackgroundLoop(
      { name: 'Changes', everyMs: LOOK_EVERY_MS, isFirstLater: true },
      async () => {
        await this.looking.take();
        return false;
      },
    );
  }

  /** Resolves once the follower has taken up what there is; rejects as the database does. */
  async follow(topic: string, follower: ChangeFollower): Promise<void> {
    this.followers.set(topic, follower);
    this.fresh.add(topic);
    await this.looking.take();
    if (this.isLooping) return;
    this.isLooping = true;
    await this.loop.begin();
  }

  /** Not before: requests that are still running go by what is followed. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.end();
  }

  private async look(): Promise<void> {
    const { goesOn, changes } = await this.looks.next();
    const isWhole = goesOn && changes.length <= CHANGES_AT_ONCE_MAX;
    const told = await Promise.allSettled(
      [...this.followers].map(async ([topic, follower]) => {
        if (!isWhole || this.fresh.has(topic)) {
          await follower.reload();
          this.fresh.delete(topic);
          return;
        }
        const keys = changes.flatMap((change) => (change.topic === topic ? [change.changed] : []));
        if (keys.length > 0) await follower.changed(keys);
      }),
    );
    const failed = told.find(({ status }) => status === 'rejected');
    if (failed === undefined) return;
    this.looks.forget();
    throw (failed as PromiseRejectedResult).reason;
  }
}
