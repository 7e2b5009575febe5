import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { isAnyOperator } from '../../users/operator-standing.js';
import { loginRequired } from '../../users/user-access.js';
import { UserEntity, UserStatus } from '../../users/user.entity.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { ownerIdOf } from '../owned/owned-credentials.js';
import { PasskeyEntity } from '../passkeys/passkey.entity.js';
import { RecoveryCodeEntity } from './recovery-code.entity.js';
import { SecondFactors } from './second-factors.js';
import { TotpCodes } from './totp-codes.js';

/** What holds for changes of all second factors of a user. */
@Injectable()
export class FactorChanges {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly database: DataSource,
    private readonly factors: SecondFactors,
    private readonly codes: TotpCodes,
    private readonly authenticator: CredentialAuthenticator,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Runs a change of the caller's factors, one at a time, and records it with these details. Throws `forbidden` (403) for
   * what is no session, and `step_up_required` (403).
   */
  async run<T>(
    principal: Principal,
    work: (manager: EntityManager, user: UserEntity) => Promise<T>,
    detailsOf: (result: T) => Readonly<Record<string, unknown>> = () => ({}),
  ): Promise<T> {
    const userId = ownerIdOf(principal);
    requireStepUp(principal);
    const done = await this.database.transaction(async (manager) => {
      const user = await manager.findOne(UserEntity, {
        where: { userId, userStatus: UserStatus.active },
        lock: { mode: 'for_no_key_update' },
      });
      if (user === null) throw loginRequired();
      const result = await work(manager, user);
      await this.audit.record(manager, {
        target: { type: 'user', id: user.username },
        details: detailsOf(result),
      });
      return result;
    });
    // All of the user's sessions learn whether a second factor is needed.
    this.authenticator.forgetAllOf(principal.key);
    return done;
  }

  /**
   * After a factor was removed: the recovery codes go with the last one. Throws `conflict` (409) for operators who need
   * one.
   */
  async settleRemoval(manager: EntityManager, user: UserEntity): Promise<void> {
    const { userId } = user;
    if (await this.factors.isEnrolled(userId, manager)) return;
    if (isAnyOperator(user) && this.config.operatorsNeedSecondFactor) {
      throw new ApiError(CONFLICT, 'Operators need a second factor here (OPERATOR_SECOND_FACTOR).');
    }
    await manager.delete(RecoveryCodeEntity, { userId });
  }

  /** Removes whatever the user has: of who has lost it, or is closed. */
  async discardAll(manager: EntityManager, userId: string): Promise<void> {
    await this.codes.discard(manager, userId);
    await manager.delete(PasskeyEntity, { userId });
    await manager.delete(RecoveryCodeEntity, { userId });
  }
}
