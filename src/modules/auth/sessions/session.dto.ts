import type { SessionEntity } from '../tokens/session.entity.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';

/** A log-in of the user who asks. */
export class SessionDto {
  /** @example "ses_0000000000A" */
  session_id: string;

  /**
   * What logged in, as it calls itself: a client can say anything.
   * @example "Firefox on Windows"
   */
  device: string;

  /**
   * The network address that it logged in from.
   * @example "203.0.113.7"
   */
  address: string;

  /** Whether it is the one that asks. */
  is_current: boolean;

  started_at: string;

  /** A minute late at most. */
  last_used_at: string;

  expires_at: string;
}

export function toSessionDto(session: SessionEntity, currentId: string | undefined): SessionDto {
  return {
    ...fieldsOf(session, 'sessionId', 'device', 'address'),
    is_current: session.sessionId === currentId,
    ...fieldsOf(session, 'startedAt', 'lastUsedAt', 'expiresAt'),
  };
}
