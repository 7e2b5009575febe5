import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { sessionKeyOf } from '../credentials/credential-store.js';
import { ownerIdOf } from '../owned/owned-credentials.js';
import { deleteSessions } from '../tokens/session-rows.js';
import { SessionEntity } from '../tokens/session.entity.js';
import { toSessionDto, type SessionDto } from './session.dto.js';

/** At this number the oldest sessions of a user end. */
const SESSIONS_PER_USER_MAX = 1_000;

/** Something of the session still lives: the row alone would be nothing that could be used. */
const IS_LIVE = `(
  EXISTS (SELECT FROM oauth_tokens WHERE session_id = session.session_id AND expires_at > now())
  OR EXISTS (SELECT FROM oauth_grants WHERE session_id = session.session_id AND expires_at > now())
  OR EXISTS (SELECT FROM login_sessions WHERE session_id = session.session_id AND expires_at > now()))`;

/** The log-ins of users, which they can look at and end. */
@Injectable()
export class UserSessions {
  constructor(
    @InjectRepository(SessionEntity) private readonly sessions: Repository<SessionEntity>,
    private readonly authenticator: CredentialAuthenticator,
    private readonly audit: AuditLog,
  ) {}

  /** The caller's live sessions, newest first. Throws `forbidden` (403) for who is not there in person. */
  async list(principal: Principal, { limit, cursor }: PageQueryDto): Promise<Page<SessionDto>> {
    const before = decodeCursor(cursor, ['text'])?.[0];
    const rows = await this.sessions
      .createQueryBuilder('session')
      .where('session.user_id = :userId', { userId: ownerIdOf(principal) })
      .andWhere(before === undefined ? 'true' : 'session.session_id < :before', { before })
      .andWhere(IS_LIVE)
      .orderBy('session.session_id', 'DESC')
      .limit(limit + 1)
      .getMany();
    return pageOf(
      rows,
      limit,
      (session) => [session.sessionId],
      (session) => toSessionDto(session, principal.sessionId),
    );
  }

  /** Ends a session of the caller with all that came from it. Throws `forbidden` (403) and `not_found` (404). */
  end(principal: Principal, sessionId: string): Promise<void> {
    return this.endThose(principal, 'session_id = $2', [sessionId], (count) => {
      if (count === 0)
        throw new ApiError(NOT_FOUND, 'There is no such session of yours. See GET /user/sessions.');
    });
  }

  /** Ends all sessions of the caller but the one that asks. Throws `forbidden` (403). */
  endOthers(principal: Principal): Promise<void> {
    return this.endThose(principal, 'session_id IS DISTINCT FROM $2', [principal.sessionId ?? null]);
  }

  /** Ends what is beyond the number that a user may have. */
  async endOldest(userId: string): Promise<void> {
    const rows = await this.sessions.query<{ readonly session_id: string }[]>(
      `SELECT session_id FROM sessions WHERE user_id = $1 ORDER BY session_id DESC OFFSET ${SESSIONS_PER_USER_MAX}`,
      [userId],
    );
    if (rows.length === 0) return;
    const ids = rows.map((row) => row.session_id);
    await this.sessions.manager.transaction((manager) => deleteSessions(manager, ids));
    this.forget(ids);
  }

  private async endThose(
    principal: Principal,
    condition: string,
    parameters: readonly unknown[],
    check?: (count: number) => void,
  ): Promise<void> {
    const userId = ownerIdOf(principal);
    const ids = await this.sessions.manager.transaction(async (manager) => {
      const rows = await manager.query<{ readonly session_id: string }[]>(
        `SELECT session_id FROM sessions WHERE user_id = $1 AND ${condition}`,
        [userId, ...parameters],
      );
      check?.(rows.length);
      const found = rows.map((row) => row.session_id);
      await deleteSessions(manager, found);
      await this.audit.record(manager, {
        target: { type: 'user', id: principal.id },
        details: { sessions: found },
      });
      return found;
    });
    this.forget(ids);
  }

  private forget(ids: readonly string[]): void {
    for (const id of ids) this.authenticator.forgetAllOf(sessionKeyOf(id));
  }
}
