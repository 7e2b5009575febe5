import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import proxyAddress from 'proxy-addr';
import { CONFIG, type Config } from '../config/config.js';
import { ApiError } from '../http/errors.js';
import { networkOf } from '../http/network-of.js';
import type { Principal } from '../security/principal.js';

/** Fewer than the server takes connections, so that requests go on when sockets and streams are at their limit. */
export const CONNECTIONS_MAX = 8_000;
/** Of one address, behind which a whole office may sit. */
export const CONNECTIONS_PER_ADDRESS_MAX = 2_500;
/** Sockets of all namespaces and event streams of one owner, by whatever clients and keys. */
export const CONNECTIONS_PER_PRINCIPAL_MAX = 1_000;

/** Counts connections that last, sockets and event streams, and says whether there is room for another. */
@Injectable()
export class ConnectionLimits {
  private readonly trustedProxies: number;
  private total = 0;
  private readonly ofAddress = new Map<string, number>();
  private readonly ofPrincipal = new Map<string, number>();

  constructor(@Inject(CONFIG) { trustProxy }: Pick<Config, 'trustProxy'>) {
    this.trustedProxies = trustProxy;
  }

  get isEmpty(): boolean {
    return this.total === 0 && this.ofAddress.size === 0 && this.ofPrincipal.size === 0;
  }

  /**
   * What another connection is refused with: `rate_limited` (429) where the address has all that it may have,
   * `temporarily_unavailable` (503) where the service has.
   */
  refusalOf(request: IncomingMessage): ApiError | undefined {
    if ((this.ofAddress.get(this.addressOf(request)) ?? 0) >= CONNECTIONS_PER_ADDRESS_MAX) {
      return tooMany(`Your address has ${CONNECTIONS_PER_ADDRESS_MAX} sockets and streams already`);
    }
    if (this.total < CONNECTIONS_MAX) return undefined;
    return new ApiError(
      'temporarily_unavailable',
      'Too many sockets and streams are open; try again later.',
      {
        headers: RETRY_LATER,
      },
    );
  }

  /** Counts a connection until the function that is returned is called, which may be called again in vain. */
  count(request: IncomingMessage): () => void {
    const release = countIn(this.ofAddress, this.addressOf(request));
    this.total++;
    return once(() => {
      this.total--;
      release();
    });
  }

  /** Counts what a principal follows with, likewise. Throws `rate_limited` (429) where that is too much. */
  countPrincipal({ accountOwner }: Pick<Principal, 'accountOwner'>): () => void {
    if ((this.ofPrincipal.get(accountOwner) ?? 0) >= CONNECTIONS_PER_PRINCIPAL_MAX) {
      throw tooMany(`You have ${CONNECTIONS_PER_PRINCIPAL_MAX} sockets and streams already`);
    }
    return once(countIn(this.ofPrincipal, accountOwner));
  }

  /** As Express tells it with the same setting. */
  private addressOf(request: IncomingMessage): string {
    return networkOf(proxyAddress(request, (_address, hop) => hop < this.trustedProxies));
  }
}

/** Room comes when others leave, which nobody can foresee. */
const RETRY_LATER = { 'Retry-After': '5' };

function tooMany(what: string): ApiError {
  return new ApiError('rate_limited', `${what}; close some, or follow more through each.`, {
    headers: RETRY_LATER,
  });
}

function countIn(counts: Map<string, number>, key: string): () => void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  return () => {
    const left = counts.get(key)! - 1;
    if (left === 0) counts.delete(key);
    else counts.set(key, left);
  };
}

function once(release: () => void): () => void {
  let isReleased = false;
  return () => {
    if (!isReleased) release();
    isReleased = true;
  };
}
