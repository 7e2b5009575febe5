import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, IsNull, Not, Repository } from 'typeorm';
import type { Act, AuditActor } from '../../kit/audit/audit-entry.js';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { CONFLICT } from '../../kit/http/error-codes.js';
import { REAUTHENTICATION_REQUIRED, INVALID_CREDENTIALS } from './errors.js';
import { ApiError } from '../../kit/http/errors.js';
import { RateLimits } from '../../kit/rate-limit/rate-limits.js';
import { isInPerson, type Principal } from '../../kit/security/principal.js';
import { requireStepUp } from '../../kit/security/step-up.js';
import { notifyUser } from './notices/notify-user.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordLogin } from './password-login.js';
import { PasswordPolicy } from './password-policy.js';
import { changesUsers, loginRequired } from './user-access.js';
import { UserCredentials } from './user-credentials.js';
import { type ChangePasswordDto, PASSWORD_SHOWN } from './user.dto.js';
import { principalKeyOf, UserEntity, userIdOf, UserStatus } from './user.entity.js';

/** For how long a log-in stands for the password itself. */
const LOGIN_STANDS_FOR_MS = 10 * 60_000;

/** Where a change of a user comes from. */
export interface ChangeOrigin {
  /** The bearer token of the request, which stays good; undefined for an API key. */
  readonly presentedToken: string | undefined;
  /** By `RateLimits.addressBucketOf`. */
  readonly addressBucket: string;
}

/** What goes with a new password. */
export interface Replacement {
  /** The session that goes on; all others end. */
  readonly keptToken?: string | undefined;
  /** Who sets it, where that is not whoever sends the request. */
  readonly by?: Partial<AuditActor>;
  /** Done before the change, in its transaction. */
  readonly first?: (manager: EntityManager) => Promise<unknown>;
}

/**
 * Changes of passwords. A session alone does not do: who has stolen it would have the account for good. It takes
 * the present password, or a log-in that was a moment ago. A change ends all other sessions and grants.
 */
@Injectable()
export class PasswordChanges {
  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly login: PasswordLogin,
    private readonly credentials: UserCredentials,
    private readonly limits: RateLimits,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Changes the caller's own password. Throws `forbidden` (403) for what is no session, `step_up_required` (403), as `PasswordLogin.verify`
   * for a wrong present password, which counts as a failed log-in, `validation_failed` (400) as `PasswordPolicy`, `rate_limited`
   * (429) for too many changes, and `conflict` (409) where another one came first, or the user has none.
   */
  async change(principal: Principal, body: ChangePasswordDto, origin: ChangeOrigin): Promise<void> {
    if (!isInPerson(principal)) throw loginRequired();
    requirePassword(await this.users.findOneByOrFail({ userId: userIdOf(principal.key)! }));
    this.policy.require(body.new_password, 'new_password');
    // The present password, which comes along, is proof enough of who has no second factor.
    if (principal.hasSecondFactor === true) requireStepUp(principal);
    const user = await this.login.verify(principal.id, body.current_password, origin.addressBucket);
    const passwordHash = await this.hash(principal, body.new_password);
    await this.replace(user, { passwordHash }, { keptToken: origin.presentedToken });
  }

  /**
   * The hash of a password that a representation of the user sets; undefined where that changes nothing: it is the
   * constant that answers show, or the present password. Throws `reauthentication_required` (403) where another
   * one needs a log-in that the caller has not made, `step_up_required` (403), and as `change`.
   */
  async hashOfNew(
    principal: Principal,
    user: UserEntity,
    password: string | null | undefined,
    { addressBucket }: ChangeOrigin,
  ): Promise<string | undefined> {
    if (password == null || password === PASSWORD_SHOWN) return undefined;
    requirePassword(user);
    if (maySetPasswords(principal)) {
      requireStepUp(principal);
      this.policy.require(password, 'password');
      return this.hash(principal, password);
    }
    const isPresent =
      principal.key === principalKeyOf(user) && (await this.isPresent(user, password, addressBucket));
    if (!isPresent) throw reauthenticationRequired();
    return undefined;
  }

  /** Writes a new password with whatever else changes, and tells the user. Throws `conflict` (409) where another one came first. */
  async replace(
    user: UserEntity,
    change: Partial<UserEntity>,
    { keptToken, by, first }: Replacement = {},
  ): Promise<void> {
    const { userId, username, passwordHash } = user;
    // Before, so that a process that dies in between leaves no old session beside the new password; and
    // after, for who logged in with the old one meanwhile.
    await this.credentials.endSessions(userId, keptToken);
    await this.users.manager.transaction(async (manager) => {
      await first?.(manager);
      await notifyUser(manager, principalKeyOf(user), 'password_changed');
      const asItWas = { userId, userStatus: Not(UserStatus.closed), passwordHash: passwordHash ?? IsNull() };
      const { affected } = await manager.update(UserEntity, asItWas, change);
      if (affected === 0) throw changedMeanwhile();
      const act: Act = { target: { type: 'user', id: username }, details: { changed: changedBy(change) } };
      await this.audit.record(manager, act, by);
    });
    await this.credentials.endSessions(userId, keptToken);
  }

  private async hash(principal: Principal, password: string): Promise<string> {
    if (!changesUsers(principal)) await this.limits.consume('password_changes', principal.key);
    return this.passwords.hash(password);
  }

  /** A guess at the present password, so it counts as a log-in. */
  private async isPresent(user: UserEntity, password: string, addressBucket: string): Promise<boolean> {
    try {
      await this.login.verify(user.username, password, addressBucket);
      return true;
    } catch (error) {
      if (ApiError.is(error, INVALID_CREDENTIALS)) return false;
      throw error;
    }
  }
}

/** The names of the fields as the API has them; never what is in them. */
export function changedBy(fields: Partial<UserEntity>): string[] {
  return Object.keys(fields).map((name) => (name === 'passwordHash' ? 'password' : name));
}

/** Users who logged in a moment ago, and operators' clients. What a user lets act for them never may. */
function maySetPasswords(principal: Principal): boolean {
  if (principal.kind === 'client') return changesUsers(principal);
  const { login } = principal;
  if (login === undefined || login.method === 'query') return false;
  // A clock that was set back makes a log-in one of the future, which is none of the last minutes either.
  return Math.abs(Date.now() - login.at.getTime()) <= LOGIN_STANDS_FOR_MS;
}

/**
 * Whoever logs in by an identity elsewhere has no password: one that is set here would go on where that has ended. Throws
 * `conflict` (409). Only for who may see the user.
 */
export function requirePassword({ passwordHash }: UserEntity): void {
  if (passwordHash !== null) return;
  throw new ApiError(
    CONFLICT,
    'This user logs in by an identity of another service, has no password, and can have none.',
  );
}

function changedMeanwhile(): ApiError {
  return new ApiError(CONFLICT, 'The password has just been changed by another request.');
}

function reauthenticationRequired(): ApiError {
  return new ApiError(
    REAUTHENTICATION_REQUIRED,
    'To set another password, send the present one to POST /user/password, or log in by HTTP Basic or a passkey and try again within ten minutes.',
  );
}
