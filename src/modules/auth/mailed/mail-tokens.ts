/** Tokens that prove who reads a mailbox: each once, for a while, and only while the mailbox is still the user's. */
import type { EntityManager } from 'typeorm';
import { ApiError } from '../../../platform/http/errors.js';
import type { PurgedRows } from '../../../platform/jobs/purges.js';
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

/** A token for the mail that is about to leave; an earlier one of the same purpose is good no more. */
export async function newMailToken(
  manager: EntityManager,
  userId: string,
  purpose: MailTokenPurpose,
  email: string,
): Promise<string> {
  const token = newSecret('tpm');
  const expiresAt = new Date(Date.now() + LIFETIMES_MS[purpose]);
  const row = { userId, purpose, tokenHash: digestOf(token), email, expiresAt };
  await manager.upsert(MailTokenEntity, row, ['userId', 'purpose']);
  return token;
}

/** The active user whose token it is. Throws `invalid_grant` (400) for any other, and one that is used, expired or void. */
export async function userOfMailToken(
  manager: EntityManager,
  token: string,
  purpose: MailTokenPurpose,
): Promise<UserEntity> {
  const user = await manager
    .createQueryBuilder(UserEntity, 'user')
    .innerJoin(MailTokenEntity, 'token', 'token.userId = user.userId AND token.email = user.email')
    .where('token.tokenHash = :hash AND token.purpose = :purpose', { hash: digestOf(token), purpose })
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
    'invalid_grant',
    'This link was used before, is too old, or is void. Ask for another mail.',
  );
}
