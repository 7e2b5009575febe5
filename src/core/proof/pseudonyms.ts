import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { growingCache } from '../../platform/growing-cache.js';

const DIGITS = 16;
/** Those of a busy day; one that is not kept is made again. */
const KEPT_MAX = 50_000;

/** What the public journal calls accounts: HMAC-SHA-256 under a secret of the service. */
export class Pseudonyms {
  private readonly key: KeyObject;
  private readonly known = growingCache<string, string>(KEPT_MAX);

  constructor(secret: Uint8Array) {
    this.key = createSecretKey(secret);
  }

  /** Of one account in one market on one day; another day's cannot be told to be of the same account. */
  of(accountId: number, marketId: string, timeMs: number): string {
    const whose = `${marketId}\n${new Date(timeMs).toISOString().slice(0, 10)}\n${accountId}`;
    let pseudonym = this.known.get(whose);
    if (pseudonym === undefined) {
      pseudonym = createHmac('sha256', this.key).update(whose).digest('hex').slice(0, DIGITS);
      this.known.set(whose, pseudonym);
    }
    return pseudonym;
  }
}
