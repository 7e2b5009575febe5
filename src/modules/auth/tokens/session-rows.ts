import { type EntityManager, MoreThan } from 'typeorm';
import type { ProvedBy } from '../../../kit/security/principal.js';
import { nextCredentialId } from '../secrets/credential-ids.js';
import { digestOf } from '../secrets/secrets.js';
import { IdentitySessionEntity } from './identity-session.entity.js';
import { noteDevice } from './known-devices.js';
import { SessionEntity } from './session.entity.js';
import type { SessionOrigin } from '../../../kit/http/session-origin.js';
import { SESSION_IDS } from '../names/ids.js';

/** Records a log-in within its transaction, with what proved it and when, and tells the user of a new device. Returns its id. */
export async function insertSession(
  manager: EntityManager,
  userId: string,
  origin: SessionOrigin,
  expiresAt: Date,
  provedBy: ProvedBy | null,
  provedAt: Date | null = new Date(),
): Promise<string> {
  const sessionId = await nextCredentialId(manager, SESSION_IDS);
  const now = new Date();
  const times = { startedAt: now, lastUsedAt: now, expiresAt };
  const proof =
    provedBy === null || provedAt === null ? { provedBy: null, provedAt: null } : { provedBy, provedAt };
  await manager.insert(SessionEntity, { sessionId, userId, ...origin, ...times, ...proof });
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

/**
 * Gives a browser's next step what an identity provider said before: a session that begins, or the wait for a second factor
 * under another secret.
 */
export async function attachIdentity(
  manager: EntityManager,
  { userId, formerSecret }: { readonly userId: string; readonly formerSecret: string },
  to: { readonly sessionId: string } | { readonly secret: string },
): Promise<void> {
  const change = 'secret' in to ? { browserHash: digestOf(to.secret) } : { browserHash: null, ...to };
  const [latest] = await manager.find(IdentitySessionEntity, {
    where: { browserHash: digestOf(formerSecret), userId, expiresAt: MoreThan(new Date()) },
    order: { verifiedAt: 'DESC' },
    take: 1,
  });
  if (latest === undefined) return;
  await manager.update(IdentitySessionEntity, { identitySessionId: latest.identitySessionId }, change);
}
