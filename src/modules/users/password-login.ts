import { hash, randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { AuditActor, AuditTarget } from '../../kit/audit/audit-entry.js';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { INVALID_CREDENTIALS, USER_LOCKED } from './errors.js';
import { ApiError } from '../../kit/http/errors.js';
import { RateLimits, type RateLimitClass } from '../../kit/rate-limit/rate-limits.js';
import type { ProvedBy } from '../../kit/security/principal.js';
import { type Owner, presentCaller, presentOwner } from '../../kit/turns/owner.js';
import { TurnQueues } from '../../kit/turns/turn-queues.js';
import { FamiliarPlaces } from './familiar-places.js';
import { PasswordHasher } from './password-hasher.js';
import { principalKeyOf, UserStatus, type UserEntity } from './user.entity.js';
import { canonicalUsername } from './username.js';
import { UsersService } from './users.service.js';

/** More log-ins of one address than these are turned away. */
const LANE_BOUNDS = { runningMax: 1, ownerRunningMax: 1, waitingMax: 128, ownerWaitingMax: 64 };

interface Attempt {
  readonly username: string;
  readonly password: string;
  readonly addressBucket: string;
  /** Whether the user has logged in from there before. */
  readonly isFamiliar: boolean;
  readonly owner: Owner;
}

/** The target for an unknown user name. */
const UNKNOWN: AuditTarget = { type: 'credential', id: 'password' };
const USERNAME_LENGTH_MAX = 64;

/**
 * Verifies users' passwords. Failures are rate limited by user and address, by address, and by user over all addresses.
 * The last limit never applies to an address from which the user has logged in before, so that strangers' guesses
 * cannot lock users out of their own accounts.
 */
@Injectable()
export class PasswordLogin implements OnModuleInit {
  /**
   * In which one attempt of an address waits for the other: guesses sent all at once would otherwise all be
   * tried before the first of them has failed.
   */
  private readonly lanes = new TurnQueues(LANE_BOUNDS);
  /** The hash of a random password, verified if the user has none, to equalize timing. */
  private decoy: Promise<string>;

  constructor(
    private readonly users: UsersService,
    private readonly passwords: PasswordHasher,
    private readonly limits: RateLimits,
    private readonly audit: AuditLog,
    private readonly familiar: FamiliarPlaces,
  ) {}

  onModuleInit(): void {
    this.decoy = this.passwords.hash(randomBytes(32).toString('base64'));
    // The start does not wait for it; if it fails, the first use gets the error.
    this.decoy.catch(() => undefined);
  }

  /**
   * The active user whose name (without regard to case) and password these are, with an account that it can
   * trade on. `addressBucket` is where the request came from, by `RateLimits.addressBucketOf`.
   *
   * Rejects with `invalid_credentials` (401) for a wrong password, an unknown or closed user and one that has
   * no password: all the same, in the same time; with `user_locked` (403) for the right password of a locked
   * user, so that nobody else learns of the lock. Rejects with `rate_limited` (429) once there were
   * too many failures, right or wrong, or while too many are logging in at once.
   */
  async verify(username: string, password: string, addressBucket: string): Promise<UserEntity> {
    const isFamiliar = await this.familiar.has(pairOf(username, addressBucket));
    const attempt = {
      username,
      password,
      addressBucket,
      isFamiliar,
      owner: ownerOf(username, addressBucket, isFamiliar),
    };
    return this.lanes.take(addressBucket, attempt.owner, () => this.attempt(attempt));
  }

  private async attempt(attempt: Attempt): Promise<UserEntity> {
    const { username, addressBucket } = attempt;
    const budgets = budgetsOf(attempt);
    for (const [name, caller] of budgets) await this.limits.requireBudget(name, caller);
    const user = await this.check(attempt);
    if (user?.userStatus !== UserStatus.active) {
      await Promise.all(budgets.map(([name, caller]) => this.limits.consume(name, caller)));
      await this.recordFailure(username);
      throw user === undefined ? invalidCredentials() : userLocked();
    }
    this.familiar.add(pairOf(username, addressBucket));
    await this.users.openAccount(user);
    return user;
  }

  /** The user whose password it is, who may be locked; a closed one has none. */
  private async check({ username, password, owner }: Attempt): Promise<UserEntity | undefined> {
    const user = await this.users.findByUsername(username);
    const isRight = await this.passwords.verify(user?.passwordHash ?? (await this.decoy), password, owner);
    const hasPassword = user?.passwordHash != null && user.userStatus !== UserStatus.closed;
    return isRight && hasPassword ? user : undefined;
  }

  /** The budgets above bound how many of these an address leaves. The name may be anything that was typed. */
  private async recordFailure(username: string): Promise<void> {
    const user = await this.users.findByUsername(username);
    const target = user === null ? UNKNOWN : { type: 'user', id: user.username };
    await this.audit.recordAlone({
      target,
      outcome: 'failed',
      details: { username: username.slice(0, USERNAME_LENGTH_MAX) },
    });
  }
}

/** What a failure takes from. Names fall into buckets, so that made-up ones fill no memory. */
function budgetsOf({ username, addressBucket, isFamiliar }: Attempt): [RateLimitClass, string][] {
  const userBucket = `user:${hash('sha1', canonicalUsername(username), 'hex').slice(0, 4)}`;
  const ofAddress: [RateLimitClass, string][] = [
    ['credential_failures', `${addressBucket} ${userBucket}`],
    ['address_login_failures', addressBucket],
  ];
  return isFamiliar ? ofAddress : [...ofAddress, ['user_login_failures', userBucket]];
}

/**
 * In whose turn a password is verified: users where they have logged in before wait for no stranger, from however many
 * networks these come.
 */
function ownerOf(username: string, addressBucket: string, isFamiliar: boolean): Owner {
  if (isFamiliar && presentCaller()?.user === undefined) return ['familiar', pairOf(username, addressBucket)];
  return presentOwner();
}

/** The audit actor of a log-in by password. */
export function byPassword(user: Pick<UserEntity, 'userId' | 'username'>): Partial<AuditActor> {
  return { person: principalKeyOf(user), credential: `password:${user.username}` };
}

/** The audit actor of a log-in that this has proved. */
export function byProof(
  user: Pick<UserEntity, 'userId' | 'username'>,
  provedBy: ProvedBy,
): Partial<AuditActor> {
  const { username } = user;
  if (provedBy === 'passkey') return { person: principalKeyOf(user), credential: `passkey:${username}` };
  return provedBy === 'identity' || provedBy === 'identity_factor'
    ? { person: principalKeyOf(user), credential: `identity:${username}` }
    : byPassword(user);
}

/** 401, with the challenge of the one scheme that takes a password. */
export function invalidCredentials(message = 'Check the user name and the password.'): ApiError {
  return new ApiError(INVALID_CREDENTIALS, message, {
    headers: { 'WWW-Authenticate': 'Basic realm="tradepost", charset="UTF-8"' },
  });
}

/** 403: the user is who they say, and may do nothing until an operator unlocks them. */
export function userLocked(): ApiError {
  return new ApiError(USER_LOCKED, 'An operator has locked this user. Ask the operators.');
}

function pairOf(username: string, addressBucket: string): string {
  return `${addressBucket} ${canonicalUsername(username)}`;
}
