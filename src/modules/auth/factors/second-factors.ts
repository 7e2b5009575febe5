import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, Repository } from 'typeorm';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { ApiError } from '../../../platform/http/errors.js';
import { RateLimits } from '../../../platform/rate-limit/rate-limits.js';
import type { ProvedBy } from '../../../platform/security/principal.js';
import { byPassword } from '../../users/password-login.js';
import { principalKeyOf, type UserEntity } from '../../users/user.entity.js';
import { spendRecoveryCode } from './recovery-codes.js';
import { TotpCodes } from './totp-codes.js';
import { TotpFactorEntity } from './totp-factor.entity.js';

type User = Pick<UserEntity, 'userId' | 'username'>;

/** Second factors at the log-in and at a step-up. */
@Injectable()
export class SecondFactors {
  constructor(
    @InjectRepository(TotpFactorEntity) private readonly factors: Repository<TotpFactorEntity>,
    private readonly codes: TotpCodes,
    private readonly limits: RateLimits,
    private readonly audit: AuditLog,
  ) {}

  /** Whether the user's password alone does not log in. */
  isEnrolled(userId: string): Promise<boolean> {
    return this.factors.existsBy({ userId, enrolledAt: Not(IsNull()) });
  }

  /**
   * What proves a log-in whose password was right: the password itself, or the code of who has a second factor. Rejects
   * as `verify`.
   */
  async prove(user: User, code: string | undefined): Promise<ProvedBy> {
    return (await this.isEnrolled(user.userId)) ? this.verify(user, code) : 'password';
  }

  /**
   * Takes a code of the user's app, or a recovery code; each once. Rejects with `second_factor_required` (401) without
   * one and for any other, and with `rate_limited` (429) after too many of those.
   */
  async verify(user: User, code: string | undefined): Promise<ProvedBy> {
    if (code === undefined || code.trim() === '') {
      throw secondFactorRequired(
        'This takes a code of your authenticator app, or a recovery code; a log-in in the header X-OTP.',
      );
    }
    const caller = principalKeyOf(user);
    // Before it is tried: guesses that come all at once would otherwise all be tried.
    await this.limits.consume('second_factor_failures', caller);
    const provedBy = await this.take(user.userId, code);
    if (provedBy === undefined) {
      const target = { type: 'user', id: user.username } as const;
      await this.audit.recordAlone(
        { target, outcome: 'failed', details: { factor: 'code' } },
        byPassword(user),
      );
      throw secondFactorRequired('This code is wrong, too old, or was used before. Send the next one.');
    }
    await this.limits.giveBack('second_factor_failures', caller);
    return provedBy;
  }

  private async take(userId: string, code: string): Promise<ProvedBy | undefined> {
    const { manager } = this.factors;
    if (await this.codes.take(manager, userId, code)) return 'totp';
    return (await spendRecoveryCode(manager, userId, code)) ? 'recovery_code' : undefined;
  }
}

/** 401: the password was right, and does not suffice. */
function secondFactorRequired(message: string): ApiError {
  return new ApiError('second_factor_required', message, {
    headers: { 'WWW-Authenticate': 'OTP realm="tradepost"' },
  });
}
