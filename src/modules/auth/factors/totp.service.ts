import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { generateURI } from 'otplib';
import { type EntityManager, Repository } from 'typeorm';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { CONFIG, type Config } from '../../../platform/config/config.js';
import { ApiError } from '../../../platform/http/errors.js';
import { RateLimits } from '../../../platform/rate-limit/rate-limits.js';
import type { Principal } from '../../../platform/security/principal.js';
import { requireStepUp } from '../../../platform/security/step-up.js';
import { loginRequired } from '../../users/user-access.js';
import { UserEntity, UserStatus } from '../../users/user.entity.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { ownerIdOf } from '../owned/owned-credentials.js';
import { RecoveryCodeEntity } from './recovery-code.entity.js';
import { renewRecoveryCodes } from './recovery-codes.js';
import { StepUps } from './step-up.service.js';
import { TotpCodes } from './totp-codes.js';
import { TotpFactorEntity } from './totp-factor.entity.js';
import type { RecoveryCodesDto, TotpDto, TotpSecretDto } from './totp.dto.js';

const ISSUER = 'Tradepost';

/**
 * The authenticator apps of users. All methods throw `forbidden` (403) for what is no session, and those that change
 * something `step_up_required` (403).
 */
@Injectable()
export class TotpFactors {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectRepository(TotpFactorEntity) private readonly factors: Repository<TotpFactorEntity>,
    private readonly codes: TotpCodes,
    private readonly stepUps: StepUps,
    private readonly authenticator: CredentialAuthenticator,
    private readonly limits: RateLimits,
    private readonly audit: AuditLog,
  ) {}

  async get(principal: Principal): Promise<TotpDto> {
    const userId = ownerIdOf(principal);
    const factor = await this.factors.findOneBy({ userId });
    const enrolledAt = factor?.enrolledAt ?? null;
    return {
      is_enrolled: enrolledAt !== null,
      enrolled_at: enrolledAt?.toISOString() ?? null,
      recovery_codes_left: await this.factors.manager.countBy(RecoveryCodeEntity, { userId }),
    };
  }

  /** Makes a secret for a new app, which counts from `confirm` on. Throws `conflict` (409) where there is an app. */
  async begin(principal: Principal): Promise<TotpSecretDto> {
    const secret = await this.change(principal, async (manager, { userId }, factor) => {
      if (factor?.enrolledAt != null) throw alreadyEnrolled();
      return this.codes.begin(manager, userId);
    });
    return { secret, otpauth_url: generateURI({ issuer: ISSUER, label: principal.id, secret }) };
  }

  /**
   * Takes the first code of the app; from then on log-ins ask for one. Throws `validation_failed` (400) for a wrong code,
   * `conflict` (409) where there is nothing to confirm, and `rate_limited` (429).
   */
  async confirm(principal: Principal, code: string): Promise<RecoveryCodesDto> {
    const codes = await this.change(principal, async (manager, { userId }, factor) => {
      if (factor?.enrolledAt != null) throw alreadyEnrolled();
      if (factor === null) throw new ApiError('conflict', 'Get a secret from POST /user/totp first.');
      await this.limits.consume('second_factor_failures', principal.key);
      if (!(await this.codes.take(manager, userId, code))) throw wrongCode();
      await manager.update(TotpFactorEntity, { userId }, { enrolledAt: new Date() });
      await this.stepUps.note(manager, principal, 'totp');
      return renewRecoveryCodes(manager, userId);
    });
    await this.limits.giveBack('second_factor_failures', principal.key);
    return { recovery_codes: codes };
  }

  /** New recovery codes instead of all that are left. Throws `conflict` (409) without an app. */
  async renewCodes(principal: Principal): Promise<RecoveryCodesDto> {
    const codes = await this.change(principal, async (manager, { userId }, factor) => {
      if (factor?.enrolledAt == null) throw new ApiError('conflict', 'You have no authenticator app.');
      return renewRecoveryCodes(manager, userId);
    });
    return { recovery_codes: codes };
  }

  /** Removes the app with its recovery codes. Throws `conflict` (409) for operators who need one. */
  async remove(principal: Principal): Promise<void> {
    await this.change(principal, async (manager, { userId, isOperator }) => {
      if (isOperator && this.config.operatorsNeedSecondFactor) {
        throw new ApiError('conflict', 'Operators need a second factor here (OPERATOR_SECOND_FACTOR).');
      }
      await this.discard(manager, userId);
    });
  }

  /** Whatever the user has: for a user who is closed. */
  async discard(manager: EntityManager, userId: string): Promise<void> {
    await this.codes.discard(manager, userId);
    await manager.delete(RecoveryCodeEntity, { userId });
  }

  /** Runs a change of the caller's factors alone, and records it. */
  private async change<T>(
    principal: Principal,
    work: (manager: EntityManager, user: UserEntity, factor: TotpFactorEntity | null) => Promise<T>,
  ): Promise<T> {
    const userId = ownerIdOf(principal);
    requireStepUp(principal);
    const done = await this.factors.manager.transaction(async (manager) => {
      const user = await manager.findOne(UserEntity, {
        where: { userId, userStatus: UserStatus.active },
        lock: { mode: 'for_no_key_update' },
      });
      if (user === null) throw loginRequired();
      const result = await work(manager, user, await manager.findOneBy(TotpFactorEntity, { userId }));
      await this.audit.record(manager, { target: { type: 'user', id: user.username } });
      return result;
    });
    // All of the user's sessions learn whether a code is needed.
    this.authenticator.forgetAllOf(principal.key);
    return done;
  }
}

function alreadyEnrolled(): ApiError {
  return new ApiError(
    'conflict',
    'You have an authenticator app already. Remove it first: DELETE /user/totp.',
  );
}

function wrongCode(): ApiError {
  return ApiError.validation([
    { field: 'code', message: 'code is not what the app shows now; check the clock of its device' },
  ]);
}
