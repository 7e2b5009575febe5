import type { EntityManager } from 'typeorm';
import { PasswordResetEntity } from './password-reset.entity.js';
import { principalKeyOf, type UserEntity } from './user.entity.js';

/** Notes that a person, see `personOf`, has set the password of somebody else. */
export async function recordReset(
  manager: EntityManager,
  { userId }: Pick<UserEntity, 'userId'>,
  resetBy: string,
): Promise<void> {
  await manager.insert(PasswordResetEntity, { userId, resetBy });
}

/** Notes that a user has set the password by a link in a mail: in the rows that is a reset by the user. */
export function recordResetByMail(manager: EntityManager, user: Pick<UserEntity, 'userId'>): Promise<void> {
  return recordReset(manager, user, principalKeyOf(user));
}
