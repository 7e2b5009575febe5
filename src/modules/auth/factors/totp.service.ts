import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { generateURI } from 'otplib';
import { Repository } from 'typeorm';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import type { Principal } from '../../../kit/security/principal.js';
import { notifyUser } from '../../users/notices/notify-user.js';
import { ownerIdOf } from '../owned/owned-credentials.js';
import { FactorChanges } from './factor-changes.js';
import { RecoveryCodeEntity } from './recovery-code.entity.js';
import { renewRecoveryCodes } from './recovery-codes.js';
import { SecondFactors } from './second-factors.js';
import { StepUps } from './step-up.service.js';
import { TotpCodes } from './totp-codes.js';
import { Texts } from '../../../kit/words/texts.js';
import { TotpFactorEntity } from './totp-factor.entity.js';
import type { RecoveryCodesDto, TotpDto, TotpSecretDto } from './totp.dto.js';

/** For the notices. */
const AN_APP = { factor: { says: 'app' } } as const;

/**
 * The authenticator apps of users. All methods throw `forbidden` (403) for what is no session, and those that change
 * something `step_up_required` (403).
 */
@Injectable()
export class TotpFactors {
  constructor(
    @InjectRepository(TotpFactorEntity) private readonly factors: Repository<TotpFactorEntity>,
    private readonly codes: TotpCodes,
    private readonly secondFactors: SecondFactors,
    private readonly changes: FactorChanges,
    private readonly stepUps: StepUps,
    private readonly limits: RateLimits,
    private readonly texts: Texts,
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
    const secret = await this.changes.run(principal, async (manager, { userId }) => {
      const factor = await manager.findOneBy(TotpFactorEntity, { userId });
      if (factor?.enrolledAt != null) throw alreadyEnrolled();
      return this.codes.begin(manager, userId);
    });
    return {
      secret,
      otpauth_url: generateURI({ issuer: this.texts.branding.name, label: principal.id, secret }),
    };
  }

  /**
   * Takes the first code of the app; from then on log-ins ask for one. Throws `validation_failed` (400) for a wrong code,
   * `conflict` (409) where there is nothing to confirm, and `rate_limited` (429).
   */
  async confirm(principal: Principal, code: string): Promise<RecoveryCodesDto> {
    const codes = await this.changes.run(principal, async (manager, { userId }) => {
      const factor = await manager.findOneBy(TotpFactorEntity, { userId });
      if (factor?.enrolledAt != null) throw alreadyEnrolled();
      if (factor === null) throw new ApiError(CONFLICT, 'Get a secret from POST /user/totp first.');
      await this.limits.consume('second_factor_failures', principal.key);
      if (!(await this.codes.take(manager, userId, code))) throw wrongCode();
      await manager.update(TotpFactorEntity, { userId }, { enrolledAt: new Date() });
      await this.stepUps.note(manager, principal, 'totp');
      await notifyUser(manager, principal.key, 'factor_added', AN_APP);
      return renewRecoveryCodes(manager, userId);
    });
    await this.limits.giveBack('second_factor_failures', principal.key);
    return { recovery_codes: codes };
  }

  /** New recovery codes instead of all that are left. Throws `conflict` (409) without a second factor. */
  async renewCodes(principal: Principal): Promise<RecoveryCodesDto> {
    const codes = await this.changes.run(principal, async (manager, { userId }) => {
      if (!(await this.secondFactors.isEnrolled(userId, manager))) {
        throw new ApiError(CONFLICT, 'You have no second factor.');
      }
      await notifyUser(manager, principal.key, 'recovery_codes_renewed');
      return renewRecoveryCodes(manager, userId);
    });
    return { recovery_codes: codes };
  }

  /** Removes the app. Throws `conflict` (409) for operators who need a second factor and have no other. */
  async remove(principal: Principal): Promise<void> {
    await this.changes.run(principal, async (manager, user) => {
      await this.codes.discard(manager, user.userId);
      await this.changes.settleRemoval(manager, user);
      await notifyUser(manager, principal.key, 'factor_removed', AN_APP);
    });
  }
}

function alreadyEnrolled(): ApiError {
  return new ApiError(CONFLICT, 'You have an authenticator app already. Remove it first: DELETE /user/totp.');
}

function wrongCode(): ApiError {
  return ApiError.validation([
    { field: 'code', message: 'code is not what the app shows now; check the clock of its device' },
  ]);
}
