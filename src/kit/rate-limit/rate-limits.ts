import { hash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Inject, Injectable, Optional } from '@nestjs/common';
import type { Request, Response } from 'express';
import proxyAddress from 'proxy-addr';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  RLWrapperTimeouts,
} from 'rate-limiter-flexible';
import { CONFIG, type Config } from '../config/config.js';
import { NO_NAMESPACE, REDIS_LINK, type RedisLink } from '../redis/redis-link.js';
import { RATE_LIMITED } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { networkOf } from '../network-of.js';
import { registrationRootOf } from '../turns/owner.js';

interface Budget {
  readonly points: number;
  readonly windowS: number;
}

/** What each class of requests may cost one caller. */
export const BUDGETS = {
  orders: { points: 2_000, windowS: 1 },
  reads: { points: 2_000, windowS: 1 },
  writes: { points: 2_000, windowS: 1 },
  /** Requests from one address that name no route, are malformed or come with a bad credential or with none. */
  refusals: { points: 1_000, windowS: 10 },
  /** Messages through one socket. */
  socket_messages: { points: 100, windowS: 1 },
  /** Tickets for event streams: each is a row that stays for some minutes. */
  stream_tickets: { points: 600, windowS: 60 },
  /** Challenges for passkeys, each a row that stays for some minutes. */
  passkey_challenges: { points: 600, windowS: 60 },
  /** Log-ins that begin at an outside provider, each a row that stays for some minutes. */
  identity_log_ins: { points: 600, windowS: 60 },
  /** Failed log-ins of one user, or failed token requests of one client, from one address. */
  credential_failures: { points: 10, windowS: 60 },
  /** Failed log-ins from one address, behind which many people may sit. */
  address_login_failures: { points: 100, windowS: 60 },
  /**
   * Failed log-ins of one user from all addresses: more than one address may cause, so that none can use it up alone.
   */
  user_login_failures: { points: 1_000, windowS: 3_600 },
  /** Wrong codes, or passkeys, of one user: in a session, from a place where one was right before, or from all others. */
  second_factor_failures: { points: 10, windowS: 900 },
  /** Passwords that one user sets; each costs as much as a log-in. */
  password_changes: { points: 10, windowS: 60 },
  /** Acts of one owner that each leave a row in the audit log for good, such as making and deleting keys. */
  audited_acts: { points: 600, windowS: 3_600 },
  /** Mails that one address asks for without a log-in. */
  mail_requests: { points: 30, windowS: 3_600 },
  /** Mails that anybody asks for to be sent to one user, or for one name that was typed, known or not. */
  mails_to_one: { points: 5, windowS: 3_600 },
} as const satisfies Record<string, Budget>;

/** How long a request waits for Redis before it is counted in memory. */
const REDIS_MS_MAX = 50;

export type RateLimitClass = keyof typeof BUDGETS;

/** The remaining budget, as in the `RateLimit` header. */
export interface BudgetState {
  readonly remaining: number;
  readonly resetS: number;
}

/** The origin of a request: from Express, or from a socket's handshake. */
type AddressedRequest = Pick<IncomingMessage, 'socket' | 'headers'> & { readonly ip?: string | undefined };

/**
 * Request budgets by caller, shared by all processes with the same Redis; if Redis does not answer quickly, each
 * process counts alone. A caller is a person, however many clients, keys and users the person makes, or without a
 * principal the address; addresses share a fixed number of buckets, which bounds memory.
 */
@Injectable()
export class RateLimits {
  readonly enabled: boolean;
  private readonly limiters: Readonly<Record<RateLimitClass, RateLimiterAbstract>>;
  private readonly addressSalt: string;
  private readonly trustedProxies: number;
  /** Until when some caller's budget is spent, by `performance.now()`: nearly always in the past. */
  private readonly spentUntilMs = new Map<RateLimitClass, number>();

  constructor(@Inject(CONFIG) config: Config, @Optional() @Inject(REDIS_LINK) link: RedisLink | null = null) {
    this.enabled = config.rateLimits === 'on';
    this.trustedProxies = config.trustProxy;
    // A salt that all processes of the exchange share, and outsiders do not know.
    this.addressSalt = link?.nameOf('addresses', NO_NAMESPACE) ?? randomBytes(16).toString('hex');
    const limiterOf = (name: RateLimitClass): RateLimiterAbstract => limiterFor(name, link);
    this.limiters = {
      orders: limiterOf('orders'),
      reads: limiterOf('reads'),
      writes: limiterOf('writes'),
      refusals: limiterOf('refusals'),
      // A socket has one process.
      socket_messages: limiterFor('socket_messages', null),
      stream_tickets: limiterOf('stream_tickets'),
      passkey_challenges: limiterOf('passkey_challenges'),
      identity_log_ins: limiterOf('identity_log_ins'),
      credential_failures: limiterOf('credential_failures'),
      address_login_failures: limiterOf('address_login_failures'),
      user_login_failures: limiterOf('user_login_failures'),
      second_factor_failures: limiterOf('second_factor_failures'),
      password_changes: limiterOf('password_changes'),
      audited_acts: limiterOf('audited_acts'),
      mail_requests: limiterOf('mail_requests'),
      mails_to_one: limiterOf('mails_to_one'),
    };
  }

  /** Takes points (default one), all or none: throws `rate_limited` (429, with `Retry-After`) if too few are left. */
  async consume(name: RateLimitClass, caller: string, points = 1): Promise<BudgetState> {
    if (!this.enabled) return { remaining: BUDGETS[name].points, resetS: BUDGETS[name].windowS };
    try {
      return stateOf(await this.limiters[name].consume(caller, points));
    } catch (spent) {
      if (!(spent instanceof RateLimiterRes)) throw spent;
      const left = await this.limiters[name].reward(caller, points);
      if (left.remainingPoints === 0) this.noteSpent(name, left.msBeforeNext);
      throw rateLimited(name, stateOf(left));
    }
  }

  /** Gives back a point that was taken for something that turned out well. */
  async giveBack(name: RateLimitClass, caller: string): Promise<void> {
    if (this.enabled) await this.limiters[name].reward(caller);
  }

  /** Takes points from the caller of a request, and sets the headers of its answer. Throws `rate_limited`. */
  async charge(request: Request, response: Response, name: RateLimitClass, points = 1): Promise<void> {
    if (!this.enabled) return;
    const { policy, limit } = rateLimitHeaders(
      name,
      await this.consume(name, this.callerOf(request), points),
    );
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader('RateLimit', limit);
  }

  /** Throws `rate_limited` if no point is left, without taking one: called before a credential is verified. */
  async requireBudget(name: RateLimitClass, caller: string): Promise<void> {
    if (!this.enabled) return;
    const spent = await this.limiters[name].get(caller);
    if (spent && spent.consumedPoints >= BUDGETS[name].points) throw rateLimited(name, stateOf(spent));
  }

  /** Whether any caller was refused recently: only then requests need the full check. */
  isSpentBySomebody(name: RateLimitClass): boolean {
    return performance.now() < (this.spentUntilMs.get(name) ?? 0);
  }

  /** The caller of a request: the person at the top of who made its user, else its address's bucket. */
  callerOf(request: Request): string {
    const { user } = request;
    return user === undefined ? this.addressBucketOf(request) : registrationRootOf(user);
  }

  /** One of 65,536 buckets. The salt keeps attackers from choosing whom they share one with. */
  addressBucketOf(request: AddressedRequest): string {
    return this.bucketOf(request.ip ?? this.addressOf(request as IncomingMessage));
  }

  /** As `addressBucketOf`, of the address alone. */
  bucketOf(address: string): string {
    return `address:${hash('sha1', this.addressSalt + networkOf(address), 'hex').slice(0, 4)}`;
  }

  /** As Express computes it with the same setting. */
  addressOf(request: IncomingMessage): string {
    return proxyAddress(request, (_address, hop) => hop < this.trustedProxies);
  }

  private noteSpent(name: RateLimitClass, forMs: number): void {
    const untilMs = performance.now() + forMs;
    this.spentUntilMs.set(name, Math.max(untilMs, this.spentUntilMs.get(name) ?? 0));
  }
}

/** The headers of a budget, as in the IETF draft "RateLimit header fields for HTTP". */
export function rateLimitHeaders(
  name: RateLimitClass,
  state: BudgetState,
): { policy: string; limit: string } {
  const { points, windowS } = BUDGETS[name];
  return {
    policy: `"${name}";q=${points};w=${windowS}`,
    limit: `"${name}";r=${state.remaining};t=${state.resetS}`,
  };
}

function limiterFor(name: RateLimitClass, link: RedisLink | null): RateLimiterAbstract {
  const budget = { points: BUDGETS[name].points, duration: BUDGETS[name].windowS };
  const inMemory = new RateLimiterMemory({ keyPrefix: name, ...budget });
  if (link === null) return inMemory;
  const shared = new RateLimiterRedis({
    ...budget,
    keyPrefix: link.lastingNameOf(`limits:${name}`),
    storeClient: link.client,
    useRedisPackage: true,
    rejectIfRedisNotReady: true,
  });
  // The installation may be known only now.
  link.onUp(() => (shared.keyPrefix = link.lastingNameOf(`limits:${name}`)));
  return new RLWrapperTimeouts({ limiter: shared, timeoutMs: REDIS_MS_MAX, insuranceLimiter: inMemory });
}

function stateOf(result: RateLimiterRes): BudgetState {
  return { remaining: result.remainingPoints, resetS: Math.max(1, Math.ceil(result.msBeforeNext / 1000)) };
}

function rateLimited(name: RateLimitClass, state: BudgetState): ApiError {
  const { policy, limit } = rateLimitHeaders(name, state);
  return new ApiError(RATE_LIMITED, `Too many requests; wait ${state.resetS} s and try again.`, {
    headers: { 'RateLimit-Policy': policy, RateLimit: limit, 'Retry-After': String(state.resetS) },
  });
}
