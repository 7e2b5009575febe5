import { Injectable } from '@nestjs/common';
import type { AuditTarget } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { RateLimits } from '../../../kit/rate-limit/rate-limits.js';
import { invalidCredentials, userLocked } from '../../users/password-login.js';
import { UserStatus, type UserEntity } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import type { ChallengeUse } from './passkey-challenges.js';
import { PasskeyProofs } from './passkey-proofs.js';
import type { PresentedResponse } from './relying-party.js';

/** The target for a passkey that nobody has. */
const UNKNOWN: AuditTarget = { type: 'credential', id: 'passkey' };

/** A log-in of whoever has a passkey; `askedBy` is a digest of the browser, or null by the API. */
export function logInUse(askedBy: string | null): ChallengeUse {
  return { purpose: 'log_in', userId: null, askedBy };
}

/** Log-ins by passkeys alone, which are two factors: a device, and what unlocks it. */
@Injectable()
export class PasskeyLogin {
  constructor(
    private readonly proofs: PasskeyProofs,
    private readonly users: UsersService,
    private readonly limits: RateLimits,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The active user whose passkey has signed, with an account that it can trade on. Rejects as `PasswordLogin.verify`: with
   * `invalid_credentials` (401) for whatever is wrong, `user_locked` (403) for the right passkey of a locked user, and
   * `rate_limited` (429) after too many failures of the address.
   */
  async verify(
    response: PresentedResponse,
    askedBy: string | null,
    addressBucket: string,
  ): Promise<UserEntity> {
    // Before it is tried: responses that come all at once would otherwise all be tried.
    await this.limits.consume('address_login_failures', addressBucket);
    const proof = await this.proofs.check(response, logInUse(askedBy));
    const user = proof.passkey === null ? null : await this.users.find(proof.passkey.userId);
    const isRight = proof.isProved && user !== null && user.userStatus !== UserStatus.closed;
    if (!isRight || user.userStatus !== UserStatus.active) {
      await this.audit.recordAlone({
        target: user === null ? UNKNOWN : { type: 'user', id: user.username },
        outcome: 'failed',
        details: {
          factor: 'passkey',
          passkey_id: proof.passkey?.passkeyId,
          ...('reason' in proof && { reason: proof.reason }),
        },
      });
      throw isRight
        ? userLocked()
        : invalidCredentials('This passkey does not log in here, or it was asked too long ago.');
    }
    await this.limits.giveBack('address_login_failures', addressBucket);
    await this.users.openAccount(user);
    return user;
  }
}
