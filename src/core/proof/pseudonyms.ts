import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { growingCache } from '../../kit/growing-cache.js';

const DIGITS = 16;
const DAY_MS = 86_400_000;
/** Those of a busy day; one that is not kept is made again. */
const KEPT_MAX = 50_000;

/** What the public journal calls accounts: HMAC-SHA-256 under a secret of the service. */
export class Pseudonyms {
  private readonly key: KeyObject;
  private readonly known = growingCache<string, string>(KEPT_MAX);
  /** The day that was asked for last: as a rule it is today. */
  private day = { number: NaN, text: '' };

  constructor(secret: Uint8Array) {
    this.key = createSecretKey(secret);
  }

  /** Of one account in one market on one day; another day's cannot be told to be of the same account. */
  of(accountId: number, marketId: string, timeMs: number): string {
    const whose = `${marketId}\n${this.dayOf(timeMs)}\n${accountId}`;
    let pseudonym = this.known.get(whose);
    if (pseudonym === undefined) {
      pseudonym = createHmac('sha256', this.key).update(whose).digest('hex').slice(0, DIGITS);
      this.known.set(whose, pseudonym);
    }
    return pseudonym;
  }

  private dayOf(timeMs: number): string {
    const number = Math.floor(timeMs / DAY_MS);
    if (this.day.number !== number) this.day = { number, text: new Date(timeMs).toISOString().slice(0, 10) };
    return this.day.text;
  }
}
