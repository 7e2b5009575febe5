import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { inTransaction, type PersonalErasure, PG_POOL } from '../../../src/index.js';

/** A SenderCompID costs a row for good. */
const SESSIONS_PER_ACCOUNT_MAX = 20;

/** What a session has come to. */
export interface SessionProgress {
  /** The number of the next message of the client. */
  readonly nextIncoming: number;
  /** The number of our next message. */
  readonly nextOutgoing: number;
  /** Reports were made of everything in the account up to here; null before the first log-on. */
  readonly accountSequence: number | null;
  /** Orders up to this one have been reported as new. */
  readonly lastOrderId: number;
}

export interface OpenedSession {
  readonly sessionId: string;
  /** Only the connection that opened a session last may write to it. */
  readonly connectionId: string;
  readonly progress: SessionProgress;
}

export interface SessionKey {
  readonly owner: string;
  readonly accountId: number;
  readonly senderCompId: string;
}

/** A message that a client may ask for again. */
export interface KeptMessage {
  readonly sequence: number;
  readonly msgType: string;
  /** As `encodeBody` made it. */
  readonly body: string;
  readonly sentAtMs: number;
}

/** Another connection has taken the session over. */
export class SessionTakenOver extends Error {}

const OPEN = `
  INSERT INTO fix_sessions (owner, account_id, sender_comp_id, logged_on_at, connection_id)
  SELECT $1, $2, $3, $4, $5
  WHERE (SELECT count(*) FROM fix_sessions WHERE account_id = $2 AND sender_comp_id <> $3) < ${SESSIONS_PER_ACCOUNT_MAX}
  ON CONFLICT (account_id, sender_comp_id) DO UPDATE SET
    logged_on_at = excluded.logged_on_at,
    connection_id = excluded.connection_id,
    next_incoming = CASE WHEN $6 THEN 1 ELSE fix_sessions.next_incoming END,
    next_outgoing = CASE WHEN $6 THEN 1 ELSE fix_sessions.next_outgoing END
  WHERE fix_sessions.logged_on_at < excluded.logged_on_at
  RETURNING session_id, next_incoming, next_outgoing, account_sequence, last_order_id`;

const FORGET = 'DELETE FROM fix_messages WHERE session_id = $1';

/** One statement, so that numbers, cursor and messages are durable together or not at all. */
const SAVE = `
  WITH progress AS (
    UPDATE fix_sessions
    SET next_incoming = $3, next_outgoing = $4, account_sequence = $5, last_order_id = $6
    WHERE session_id = $1 AND connection_id = $2
    RETURNING session_id
  ), kept AS (
    INSERT INTO fix_messages (session_id, sequence, msg_type, body, sent_at)
    SELECT session_id, sequence, msg_type, body, to_timestamp(sent_at_ms / 1000.0)
    FROM progress, unnest($7::bigint[], $8::text[], $9::text[], $10::bigint[]) AS m (sequence, msg_type, body, sent_at_ms)
  )
  SELECT 1 FROM progress`;

const READ = `
  SELECT sequence, msg_type, body, sent_at FROM fix_messages
  WHERE session_id = $1 AND sequence BETWEEN $2 AND $3 ORDER BY sequence LIMIT $4`;

/** Sessions and their messages in PostgreSQL, so that they survive every process. */
@Injectable()
export class SessionStore {
  readonly erasures: readonly PersonalErasure[] = [
    {
      name: 'fix-sessions',
      due: 'closing',
      erase: async ({ key }) => {
        await this.pool.query('DELETE FROM fix_sessions WHERE owner = $1', [key]);
      },
    },
  ];

  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Makes a session, or takes it over. `undefined` where one was logged on to at this time or later, so that nobody logs
   * on with what somebody else has signed, and where the account has too many.
   */
  async open(
    { owner, accountId, senderCompId }: SessionKey,
    logOnTimeMs: number,
    isReset: boolean,
  ): Promise<OpenedSession | undefined> {
    const connectionId = randomUUID();
    const values = [owner, accountId, senderCompId, new Date(logOnTimeMs), connectionId, isReset];
    // In one transaction: numbers that begin anew must not meet messages that have them.
    const row = await inTransaction(this.pool, async (client) => {
      const { rows } = await client.query<Record<string, string | null>>(OPEN, values);
      if (isReset && rows[0] !== undefined) await client.query(FORGET, [rows[0].session_id]);
      return rows[0];
    });
    if (row === undefined) return undefined;
    return {
      sessionId: row.session_id!,
      connectionId,
      progress: {
        nextIncoming: Number(row.next_incoming),
        nextOutgoing: Number(row.next_outgoing),
        accountSequence: row.account_sequence === null ? null : Number(row.account_sequence),
        lastOrderId: Number(row.last_order_id),
      },
    };
  }

  /** Throws `SessionTakenOver`. */
  async save(
    { sessionId, connectionId }: Pick<OpenedSession, 'sessionId' | 'connectionId'>,
    progress: SessionProgress,
    messages: readonly KeptMessage[],
  ): Promise<void> {
    const { rowCount } = await this.pool.query(SAVE, [
      sessionId,
      connectionId,
      progress.nextIncoming,
      progress.nextOutgoing,
      progress.accountSequence,
      progress.lastOrderId,
      messages.map(({ sequence }) => sequence),
      messages.map(({ msgType }) => msgType),
      messages.map(({ body }) => body),
      messages.map(({ sentAtMs }) => sentAtMs),
    ]);
    if (rowCount === 0) throw new SessionTakenOver();
  }

  /** Kept messages with numbers from one to another, in their order. */
  async messages(sessionId: string, from: number, to: number, limit: number): Promise<KeptMessage[]> {
    const { rows } = await this.pool.query<{
      sequence: string;
      msg_type: string;
      body: string;
      sent_at: Date;
    }>(READ, [sessionId, from, to, limit]);
    return rows.map((row) => ({
      sequence: Number(row.sequence),
      msgType: row.msg_type,
      body: row.body,
      sentAtMs: row.sent_at.getTime(),
    }));
  }
}
