import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { SECOND_FACTOR_REQUIRED } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import type { ProvedBy } from '../../../kit/security/principal.js';
import { FamiliarPlaces } from '../../users/familiar-places.js';
import { byPassword } from '../../users/password-login.js';
import { principalKeyOf, type UserEntity } from '../../users/user.entity.js';
import { hasSecondFactor } from '../has-second-factor.js';
import type { ChallengeUse } from './passkeys/passkey-challenges.js';
import { PasskeyProofs } from './passkeys/passkey-proofs.js';
import { PasskeyEntity } from './passkeys/passkey.entity.js';
import type { PresentedResponse } from './passkeys/relying-party.js';
import { spendRecoveryCode } from './recovery-codes.js';
import { TotpCodes } from './totp-codes.js';
import { TotpFactorEntity } from './totp-factor.entity.js';

type User = Pick<UserEntity, 'userId' | 'username'>;

/** Where a factor is tried: in a session, or by whoever has just sent the right password. */
export type TriedAt = { readonly sessionId: string } | { readonly addressBucket: string };

type Factor = 'code' | 'passkey';

/** What became of a factor that was tried: what it proves, or what the audit log keeps of it. */
type Attempt = { readonly provedBy: ProvedBy } | { readonly refused: Readonly<Record<string, unknown>> };

/** Second factors at the log-in and at a step-up. */
@Injectable()
export class SecondFactors {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly codes: TotpCodes,
    private readonly passkeys: PasskeyProofs,
    private readonly limits: RateLimits,
    private readonly familiar: FamiliarPlaces,
    private readonly audit: AuditLog,
  ) {}

  /** Whether the user's password alone does not log in. */
  async isEnrolled(userId: string, manager: EntityManager = this.database.manager): Promise<boolean> {
    const [row] = await manager.query<[{ readonly is_enrolled: boolean }]>(
      `SELECT ${hasSecondFactor('$1')} AS is_enrolled`,
      [userId],
    );
    return row.is_enrolled;
  }

  /** Which factors the user has. */
  async kindsOf(userId: string): Promise<{ readonly hasApp: boolean; readonly hasPasskey: boolean }> {
    const { manager } = this.database;
    const hasApp = await manager.existsBy(TotpFactorEntity, { userId, enrolledAt: Not(IsNull()) });
    return { hasApp, hasPasskey: await manager.existsBy(PasskeyEntity, { userId }) };
  }

  /**
   * What proves a log-in whose password was right: the password itself, or the code of who has a second factor. Rejects
   * as `verify`.
   */
  async prove(user: User, code: string | undefined, at: TriedAt): Promise<ProvedBy> {
    return (await this.isEnrolled(user.userId)) ? this.verify(user, code, at) : 'password';
  }

  /**
   * Takes a code of the user's app, or a recovery code; each once. Rejects with `second_factor_required` (401) without
   * one and for any other, and with `rate_limited` (429) after too many of those from the same place.
   */
  async verify(user: User, code: string | undefined, at: TriedAt): Promise<ProvedBy> {
    if (code === undefined || code.trim() === '') {
      throw secondFactorRequired(
        'This takes a second factor: a code of your authenticator app or a recovery code, at a log-in in the header X-OTP; or a passkey, which logs in without the password (POST /user/passkeys/log-in).',
      );
    }
    return this.attempt(
      { user, factor: 'code', at },
      async () => {
        const provedBy = await this.take(user.userId, code);
        return provedBy === undefined ? { refused: {} } : { provedBy };
      },
      'This code is wrong, too old, or was used before. Send the next one.',
    );
  }

  /** Takes what a passkey of the user has signed for this use, once. Rejects as `verify`. */
  verifyPasskey(
    user: User,
    response: PresentedResponse,
    use: Omit<ChallengeUse, 'userId'>,
    at: TriedAt,
  ): Promise<ProvedBy> {
    return this.attempt(
      { user, factor: 'passkey', at },
      async () => {
        const proof = await this.passkeys.check(response, { ...use, userId: user.userId });
        if (proof.isProved) return { provedBy: 'passkey' };
        const { passkey, reason } = proof;
        return { refused: { passkey_id: passkey?.passkeyId, reason } };
      },
      'This passkey is not yours, or it was asked too long ago. Ask it again.',
    );
  }

  /** Tries a factor of which too many may not be wrong. */
  private async attempt(
    { user, factor, at }: { readonly user: User; readonly factor: Factor; readonly at: TriedAt },
    attempt: () => Promise<Attempt>,
    message: string,
  ): Promise<ProvedBy> {
    const caller = await this.budgetOf(user, factor, at);
    // Before it is tried: guesses that come all at once would otherwise all be tried.
    await this.limits.consume('second_factor_failures', caller);
    const outcome = await attempt();
    if ('refused' in outcome) {
      const target = { type: 'user', id: user.username } as const;
      const details = { factor, ...outcome.refused };
      await this.audit.recordAlone({ target, outcome: 'failed', details }, byPassword(user));
      throw secondFactorRequired(message);
    }
    await this.limits.giveBack('second_factor_failures', caller);
    if ('addressBucket' in at) this.familiar.add(placeOf(user, at.addressBucket));
    return outcome.provedBy;
  }

  /**
   * Strangers share one budget, over all addresses: whoever has the password must not guess the code from many. A session,
   * and a place where a factor of the user was right before, each have their own, so that strangers lock nobody out.
   */
  private async budgetOf(user: User, factor: Factor, at: TriedAt): Promise<string> {
    const caller = `${principalKeyOf(user)} ${factor}`;
    if ('sessionId' in at) return `${caller} session:${at.sessionId}`;
    const isFamiliar = await this.familiar.has(placeOf(user, at.addressBucket));
    return isFamiliar ? `${caller} ${at.addressBucket}` : caller;
  }

  private async take(userId: string, code: string): Promise<ProvedBy | undefined> {
    const { manager } = this.database;
    if (await this.codes.take(manager, userId, code)) return 'totp';
    return (await spendRecoveryCode(manager, userId, code)) ? 'recovery_code' : undefined;
  }
}

/** Apart from where the password alone was right. */
function placeOf(user: User, addressBucket: string): string {
  return `second factor ${addressBucket} ${principalKeyOf(user)}`;
}

/** 401: the password was right, and does not suffice. */
function secondFactorRequired(message: string): ApiError {
  return new ApiError(SECOND_FACTOR_REQUIRED, message, {
    headers: { 'WWW-Authenticate': 'OTP realm="tradepost"' },
  });
}
