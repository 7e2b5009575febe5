/** Rules for the clients and API keys that users make for themselves. */
import type { EntityManager } from 'typeorm';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { insufficientScope } from '../../../kit/security/challenges.js';
import { isInPerson, type Principal } from '../../../kit/security/principal.js';
import type { ScopeCatalogue } from '../../../kit/security/scope.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import type { NoticeFacts } from '../../users/notices/notice.js';
import { loginRequired } from '../../users/user-access.js';
import { UserEntity, UserStatus, userIdOf } from '../../users/user.entity.js';

/** For each kind of credential. */
export const OWNED_PER_USER_MAX = 50;

/** The id of the user behind a session. Throws `forbidden` (403) for other principals. */
export function ownerIdOf(principal: Principal): string {
  const userId = userIdOf(principal.key);
  if (userId === undefined || !isInPerson(principal)) throw loginRequired();
  return userId;
}

/**
 * Throws `validation_failed` (400) for a scope that no key or client can have, `insufficient_scope` (403) if the
 * principal lacks one, and `step_up_required` (403) for one that moves money.
 */
export function requireOwnScopes(
  catalogue: ScopeCatalogue,
  principal: Principal,
  scopes: readonly string[],
): void {
  if (!scopes.every((scope) => catalogue.grantable.includes(scope))) {
    const message = `each value in scopes must be one of the following values: ${catalogue.grantable.join(', ')}`;
    throw ApiError.validation([{ field: 'scopes', message }]);
  }
  const missing = scopes.filter((scope) => !principal.scopes.has(scope));
  if (missing.length > 0) throw insufficientScope({ allOf: missing.map((name) => catalogue.find(name)!) });
  if (catalogue.moveMoney(scopes)) requireStepUp(principal);
}

/**
 * Locks the owner until the transaction ends, so that the count stays right and nobody closes the user meanwhile.
 * Throws `forbidden` (403) for a user who is no longer active, and `conflict` (409) at the limit.
 */
export async function requireRoom(
  manager: EntityManager,
  ownerUserId: string,
  countOwned: () => Promise<number>,
): Promise<void> {
  const owner = await manager.findOne(UserEntity, {
    where: { userId: ownerUserId, userStatus: UserStatus.active },
    lock: { mode: 'for_no_key_update' },
  });
  if (owner === null) throw loginRequired();
  if ((await countOwned()) >= OWNED_PER_USER_MAX) {
    throw new ApiError(CONFLICT, `You have ${OWNED_PER_USER_MAX} of these already; delete one first.`);
  }
}

/** What the notice of a new one tells. */
export function factsOf(name: string, scopes: readonly string[]): NoticeFacts {
  return { name, scopes: scopes.length === 0 ? { says: 'no_scopes' } : scopes.join(', ') };
}
