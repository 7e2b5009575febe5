/** Tokens that prove who reads a mailbox: each once, for a while, and only while the mailbox is still the user's. */
import type { EntityManager } from 'typeorm';
import { INVALID_GRANT } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import { UserEntity, UserStatus } from '../../users/user.entity.js';
import { digestOf, newSecret } from '../secrets.js';
import { MailTokenEntity, type MailTokenPurpose } from './mail-token.entity.js';

const LIFETIMES_MS: Readonly<Record<MailTokenPurpose, number>> = {
  verify: 24 * 3_600_000,
  reset: 20 * 60_000,
};

export const EXPIRED_MAIL_TOKENS: PurgedRows = {
  table: 'mail_tokens',
  key: ['user_id', 'purpose'],
  over: 'expires_at < now()',
  orderBy: 'expires_at',
};

/** What its verification must be: a link to verify an address makes it, one to reset a password needs it. */
const VERIFICATION: Readonly<Record<MailTokenPurpose, string>> = {
  verify: 'IS NULL',
  reset: 'IS NOT NULL',
};

/**
 * A token for the mail that is about to leave to the address, if that still is the user's and fit for the purpose; an
 * earlier one of the same purpose is good no more.
 */
export async function newMailToken(
  manager: EntityManager,
  userId: string,
  purpose: MailTokenPurpose,
  email: string,
): Promise<string | undefined> {
  const token = newSecret('tpm');
  const made = await manager.query<unknown[]>(
    `INSERT INTO mail_tokens (user_id, purpose, token_hash, email, email_verified_at, expires_at)
     SELECT user_id, $2, $3, email, email_verified_at, $5 FROM users
     WHERE user_id = $1 AND email = $4 AND email_verified_at ${VERIFICATION[purpose]}
     ON CONFLICT (user_id, purpose) DO UPDATE SET token_hash = excluded.token_hash, email = excluded.email,
       email_verified_at = excluded.email_verified_at, expires_at = excluded.expires_at
     RETURNING user_id`,
    [userId, purpose, digestOf(token), email, new Date(Date.now() + LIFETIMES_MS[purpose])],
  );
  return made.length === 0 ? undefined : token;
}

/** To the address as it was, and not to one that was changed and is back. */
const IS_BOUND = [
  'token.userId = user.userId',
  'token.email = user.email',
  'token.emailVerifiedAt IS NOT DISTINCT FROM user.emailVerifiedAt',
].join(' AND ');

/** The active user whose token it is. Throws `invalid_grant` (400) for any other, and one that is used, expired or void. */
export async function userOfMailToken(
  manager: EntityManager,
  token: string,
  purpose: MailTokenPurpose,
): Promise<UserEntity> {
  const user = await manager
    .createQueryBuilder(UserEntity, 'user')
    .innerJoin(MailTokenEntity, 'token', IS_BOUND)
    .where('token.tokenHash = :hash AND token.purpose = :purpose', { hash: digestOf(token), purpose })
    .andWhere(`user.emailVerifiedAt ${VERIFICATION[purpose]}`)
    .andWhere('token.expiresAt > :now AND user.userStatus = :active', {
      now: new Date(),
      active: UserStatus.active,
    })
    .getOne();
  if (user === null) throw mailTokenInvalid();
  return user;
}

/** Uses a token up: of several at once one does. Throws as `userOfMailToken`. */
export async function spendMailToken(manager: EntityManager, token: string): Promise<void> {
  const { affected } = await manager.delete(MailTokenEntity, { tokenHash: digestOf(token) });
  if (affected === 0) throw mailTokenInvalid();
}

export function mailTokenInvalid(): ApiError {
  return new ApiError(
    INVALID_GRANT,
    'This link was used before, is too old, or is void. Ask for another mail.',
  );
}
