import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Pool } from 'pg';
import { type JobRun, Jobs, JobTask, PG_POOL } from '../../../src/index.js';

/** Later than this, a client that asks for old messages gets a gap fill for them. */
const KEPT_DAYS = 7;
const LOOK_EVERY_MS = 3_600_000;
const SESSIONS_AT_ONCE_MAX = 100;
/** Of one session. */
const MESSAGES_AT_ONCE_MAX = 1_000;

export const FORGET_MESSAGES = new JobTask<object>('fix.forget_messages');

/**
 * The oldest messages of some sessions that have old ones. A session's numbers grow with time, so its first message tells
 * whether it has any, and no index of times is needed.
 */
const REMOVE_NEXT = `
  WITH due AS (
    SELECT session_id FROM fix_sessions
    CROSS JOIN LATERAL (
      SELECT sent_at FROM fix_messages
      WHERE fix_messages.session_id = fix_sessions.session_id ORDER BY sequence LIMIT 1
    ) oldest
    WHERE sent_at < now() - interval '${KEPT_DAYS} days'
    LIMIT ${SESSIONS_AT_ONCE_MAX}
  ), old AS (
    SELECT message.session_id, message.sequence FROM due
    CROSS JOIN LATERAL (
      SELECT session_id, sequence, sent_at FROM fix_messages
      WHERE fix_messages.session_id = due.session_id ORDER BY sequence LIMIT ${MESSAGES_AT_ONCE_MAX}
    ) message
    WHERE message.sent_at < now() - interval '${KEPT_DAYS} days'
  )
  DELETE FROM fix_messages USING old
  WHERE fix_messages.session_id = old.session_id AND fix_messages.sequence = old.sequence`;

/** Removes old messages, of sessions that never come back too. */
@Injectable()
export class MessageRetention implements OnApplicationBootstrap {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly jobs: Jobs,
  ) {}

  /** In the next moments, where no other process has planned it already. */
  async onApplicationBootstrap(): Promise<void> {
    await this.schedule(new Date());
  }

  async removeAll({ signal }: JobRun): Promise<void> {
    // First of all, so that it goes on whatever becomes of this run.
    await this.schedule(new Date(Date.now() + LOOK_EVERY_MS));
    while (!signal.aborted && (await this.removeNext()) > 0);
  }

  /** Returns how many were removed. */
  async removeNext(): Promise<number> {
    const { rowCount } = await this.pool.query(REMOVE_NEXT);
    return rowCount ?? 0;
  }

  private schedule(runAt: Date): Promise<void> {
    const options = { runAt, key: FORGET_MESSAGES.name, keyMode: 'preserve_run_at' } as const;
    return this.jobs.add(this.pool, FORGET_MESSAGES, {}, options);
  }
}
