import type { StartedSession } from './sessions.service.js';

/** A session that has just begun. */
export class StartedSessionDto {
  /**
   * For the header `Authorization: Bearer`.
   * @example "tpa_…"
   */
  token: string;

  expires_at: string;
}

export function toStartedSessionDto({ token, expiresAt }: StartedSession): StartedSessionDto {
  return { token, expires_at: expiresAt.toISOString() };
}
