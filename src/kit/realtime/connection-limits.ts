import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import proxyAddress from 'proxy-addr';
import { CONFIG, type Config } from '../config/config.js';
import { TEMPORARILY_UNAVAILABLE, RATE_LIMITED } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { networkOf } from '../network-of.js';
import { PeerCounts, type SharedCounts } from '../peers/peer-counts.js';
import { type Owned, registrationRootOf } from '../turns/owner.js';

/** For one process; less than its server's limit, so that requests still get through. */
export const CONNECTIONS_MAX = 8_000;
/** For one address over all processes; a whole office may share it. */
export const CONNECTIONS_PER_ADDRESS_MAX = 2_500;
/** Sockets of all namespaces and event streams of one person, over all users, clients and keys that the person made. */
export const CONNECTIONS_PER_PRINCIPAL_MAX = 1_000;

/**
 * Counts long-lived connections (sockets and event streams) and limits them. Counts per address and principal include
 * all processes, which exchange them within milliseconds.
 */
@Injectable()
export class ConnectionLimits {
  private readonly trustedProxies: number;
  private total = 0;
  private readonly ofAddress: Counts;
  private readonly ofPrincipal: Counts;

  constructor(@Inject(CONFIG) { trustProxy }: Pick<Config, 'trustProxy'>, peers: PeerCounts) {
    this.trustedProxies = trustProxy;
    this.ofAddress = new Counts('connections of addresses', peers);
    this.ofPrincipal = new Counts('connections of principals', peers);
  }

  get isEmpty(): boolean {
    return this.total === 0 && this.ofAddress.isEmpty && this.ofPrincipal.isEmpty;
  }

  /**
   * The refusal of another connection: `rate_limited` (429) if the address is at its limit, `temporarily_unavailable`
   * (503) if the service is.
   */
  refusalOf(request: IncomingMessage): ApiError | undefined {
    if (this.ofAddress.of(this.addressOf(request)) >= CONNECTIONS_PER_ADDRESS_MAX) {
      return tooMany(`Your address has ${CONNECTIONS_PER_ADDRESS_MAX} sockets and streams already`);
    }
    if (this.total < CONNECTIONS_MAX) return undefined;
    return new ApiError(TEMPORARILY_UNAVAILABLE, 'Too many sockets and streams are open; try again later.', {
      headers: RETRY_LATER,
    });
  }

  /** Counts a connection until the returned function is called, which is idempotent. */
  count(request: IncomingMessage): () => void {
    const release = this.ofAddress.count(this.addressOf(request));
    this.total++;
    return once(() => {
      this.total--;
      release();
    });
  }

  /** Counts a principal's connection likewise. Throws `rate_limited` (429) above the limit. */
  countPrincipal(principal: Owned): () => void {
    const root = registrationRootOf(principal);
    if (this.ofPrincipal.of(root) >= CONNECTIONS_PER_PRINCIPAL_MAX) {
      throw tooMany(`You have ${CONNECTIONS_PER_PRINCIPAL_MAX} sockets and streams already`);
    }
    return once(this.ofPrincipal.count(root));
  }

  /** As Express computes it with the same setting. */
  private addressOf(request: IncomingMessage): string {
    return networkOf(proxyAddress(request, (_address, hop) => hop < this.trustedProxies));
  }
}

/** Room comes when others leave, which nobody can foresee. */
const RETRY_LATER = { 'Retry-After': '5' };

function tooMany(what: string): ApiError {
  return new ApiError(RATE_LIMITED, `${what}; close some, or follow more through each.`, {
    headers: RETRY_LATER,
  });
}

/** Connections by what they have in common, here and in other processes. */
class Counts {
  private readonly counts = new Map<string, number>();
  private readonly shared: SharedCounts;

  constructor(what: string, peers: PeerCounts) {
    this.shared = peers.share(what, (key, delta) => this.add(key, delta));
  }

  get isEmpty(): boolean {
    return this.counts.size === 0;
  }

  of(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** One more, until the function that is returned is called. */
  count(key: string): () => void {
    this.add(key, 1);
    this.shared.add(key, 1);
    return () => {
      this.add(key, -1);
      this.shared.add(key, -1);
    };
  }

  private add(key: string, delta: number): void {
    const count = this.of(key) + delta;
    if (count === 0) this.counts.delete(key);
    else this.counts.set(key, count);
  }
}

function once(release: () => void): () => void {
  let isReleased = false;
  return () => {
    if (!isReleased) release();
    isReleased = true;
  };
}
