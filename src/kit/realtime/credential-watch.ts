import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { ApiError } from '../http/errors.js';
import { Authenticator, type HeldCredential } from '../security/authenticator.js';
import { insufficientScope, refusalOfCredential } from '../security/challenges.js';
import type { Principal } from '../security/principal.js';
import { grants, type ScopeRequirement } from '../security/scope.js';

const CHECK_EVERY_MS = 500;
/** Revocations within this time are checked together. */
const GATHERED_FOR_MS = 20;

/** A connection that outlives one check of its credential. */
export interface WatchedConnection {
  /** The required scopes; undefined if any credential will do. */
  readonly requirement: ScopeRequirement | undefined;
  /** The credential is still valid; its principal's scopes may have changed. */
  onPrincipal?(principal: Principal): void;
  /** The credential is expired, revoked, or lacks scopes: end the connection with this error. */
  onRefused(error: ApiError): void;
}

/** One credential, and the connections that were opened with it. */
interface Watched {
  readonly credential: HeldCredential;
  readonly connections: Set<WatchedConnection>;
}

/**
 * Rechecks the credentials of open sockets and event streams, so that a revoked or expired one ends them: at once if
 * this process is notified, otherwise within a second or two. Each credential is checked once, however many connections
 * use it, through the authenticator's cache.
 */
@Injectable()
export class CredentialWatch implements OnModuleDestroy {
  private readonly logger = new Logger(CredentialWatch.name);
  private readonly watched = new Map<string, Watched>();
  private readonly timer = setInterval(() => void this.checkAll(), CHECK_EVERY_MS).unref();
  private isChecking = false;
  private soon: NodeJS.Timeout | undefined;

  constructor(private readonly authenticator: Authenticator) {
    authenticator.onChanged(() => this.checkSoon());
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    clearTimeout(this.soon);
  }

  /**
   * The principal behind a credential that is good for the requirement. Throws `invalid_token`,
   * `invalid_api_key` (401) or `insufficient_scope` (403).
   */
  async principalOf(
    credential: HeldCredential,
    requirement: ScopeRequirement | undefined,
  ): Promise<Principal> {
    const principal = await this.authenticator.principalOf(credential);
    const refusal = refusalOf(credential, principal, requirement);
    if (refusal !== undefined) throw refusal;
    return principal!;
  }

  /** Watches until the returned function is called. */
  watch(credential: HeldCredential, connection: WatchedConnection): () => void {
    const key = `${credential.scheme} ${credential.digest}`;
    const watched = this.watched.get(key) ?? { credential, connections: new Set() };
    this.watched.set(key, watched);
    watched.connections.add(connection);
    return () => {
      watched.connections.delete(connection);
      if (watched.connections.size === 0 && this.watched.get(key) === watched) this.watched.delete(key);
    };
  }

  private checkSoon(): void {
    this.soon ??= setTimeout(() => {
      this.soon = undefined;
      if (this.isChecking) this.checkSoon();
      else void this.checkAll();
    }, GATHERED_FOR_MS).unref();
  }

  private async checkAll(): Promise<void> {
    // Where the database is slow the last look may still run; another would only ask the same again.
    if (this.isChecking) return;
    this.isChecking = true;
    const checks = await Promise.allSettled([...this.watched.values()].map((each) => this.check(each)));
    this.isChecking = false;
    const failed = checks.find((check) => check.status === 'rejected');
    if (failed === undefined) return;
    // Their state is unknown, which is no reason to end admitted connections.
    this.logger.warn({
      msg: 'the credentials of open connections could not be looked at',
      err: failed.reason as unknown,
    });
  }

  private async check({ credential, connections }: Watched): Promise<void> {
    const principal = await this.authenticator.principalOf(credential);
    for (const connection of [...connections]) {
      const refusal = refusalOf(credential, principal, connection.requirement);
      if (refusal !== undefined) connection.onRefused(refusal);
      else connection.onPrincipal?.(principal!);
    }
  }
}

function refusalOf(
  { scheme }: HeldCredential,
  principal: Principal | undefined,
  requirement: ScopeRequirement | undefined,
): ApiError | undefined {
  if (principal === undefined) return refusalOfCredential(scheme);
  if (requirement === undefined || grants(principal.scopes, requirement)) return undefined;
  return insufficientScope(requirement);
}
