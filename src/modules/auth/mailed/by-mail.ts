import type { AuditActor } from '../../../kit/audit/audit-entry.js';
import { principalKeyOf, type UserEntity } from '../../users/user.entity.js';

/** The audit actor of what a link in a mail does. */
export function byMail(user: Pick<UserEntity, 'userId' | 'username'>): Partial<AuditActor> {
  return { person: principalKeyOf(user), credential: `mail:${user.username}` };
}
