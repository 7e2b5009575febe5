import type { EntityManager } from 'typeorm';
import type { ProvedBy } from '../../../kit/security/principal.js';
import { nextCredentialId } from '../secrets/credential-ids.js';
import { noteDevice } from './known-devices.js';
import { SessionEntity } from './session.entity.js';
import type { SessionOrigin } from '../../../kit/http/session-origin.js';
import { SESSION_IDS } from '../names/ids.js';

/** Records a log-in within its transaction, with what proved it, and tells the user of a new device. Returns its id. */
export async function insertSession(
  manager: EntityManager,
  userId: string,
  origin: SessionOrigin,
  expiresAt: Date,
  provedBy: ProvedBy | null,
): Promise<string> {
  const sessionId = await nextCredentialId(manager, SESSION_IDS);
  const now = new Date();
  const times = { startedAt: now, lastUsedAt: now, expiresAt, provedAt: provedBy === null ? null : now };
  await manager.insert(SessionEntity, { sessionId, userId, ...origin, ...times, provedBy });
  await noteDevice(manager, userId, origin);
  return sessionId;
}

/**
 * Ends log-ins with all that came from them: grants first and sessions last, as every exchange and revocation locks
 * them, to avoid deadlocks.
 */
export async function deleteSessions(manager: EntityManager, ids: readonly string[]): Promise<void> {
  for (const table of ['oauth_grants', 'oauth_tokens', 'login_sessions', 'sessions']) {
    await manager.query(`DELETE FROM ${table} WHERE session_id = ANY($1)`, [ids]);
  }
}
