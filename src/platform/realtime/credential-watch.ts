import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { ApiError } from '../http/errors.js';
import { Authenticator, type HeldCredential } from '../security/authenticator.js';
import { insufficientScope, invalidApiKey, invalidToken } from '../security/challenges.js';
import type { Principal } from '../security/principal.js';
import { grants, type ScopeRequirement } from '../security/scopes.js';

const CHECK_EVERY_MS = 500;
/** What is revoked together is looked at together. */
const GATHERED_FOR_MS = 20;

/** A connection that lasts longer than one look at its credential. */
export interface WatchedConnection {
  /** What its credential must be good for; nothing where any credential will do. */
  readonly requirement: ScopeRequirement | undefined;
  /** The credential was good a moment ago; its principal may have other scopes than before. */
  onPrincipal?(principal: Principal): void;
  /** The credential is expired, revoked, or no longer good for this: end the connection, and say why. */
  onRefused(error: ApiError): void;
}

/** One credential, and the connections that were opened with it. */
interface Watched {
  readonly credential: HeldCredential;
  readonly connections: Set<WatchedConnection>;
}

/**
 * Looks at the credentials of sockets and event streams again while they last, so that one that is revoked or
 * expires ends them: at once where this process is told of it, within a second or two otherwise. Each credential is looked at once, whatever number of connections
 * it opened, and through the authenticator's cache.
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

  /** Watches until told to stop by the function that is returned. */
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
    // Where the database is slow the last round may still run; another would only ask the same again.
    if (this.isChecking) return;
    this.isChecking = true;
    const checks = await Promise.allSettled([...this.watched.values()].map((each) => this.check(each)));
    this.isChecking = false;
    const failed = checks.find((check) => check.status === 'rejected');
    if (failed === undefined) return;
    // Nobody knows whether they are still good: that is no reason to end what was let in.
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
  if (principal === undefined) return scheme === 'bearer' ? invalidToken() : invalidApiKey();
  if (requirement === undefined || grants(principal.scopes, requirement)) return undefined;
  return insufficientScope(requirement);
}
