import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, networkOf, Settings, type Config } from '../../src/index.js';
import { Bans } from './bans.js';
import { BinanceError } from './binance-error.js';
import { WEIGHT_PER_MINUTE } from './settings.js';

const MINUTE_MS = 60_000;
/** Addresses counted one by one in a minute; all others together count as one, which bounds memory. */
const ADDRESSES_MAX = 50_000;
const OTHERS = 'others';
/** Refusals (429) of an address in one minute, beyond which it is banned (418). */
export const REFUSALS_MAX = 100;

/** The weight that addresses used in the running minute, in this process. */
@Injectable()
export class RequestWeights {
  readonly perMinuteMax: number;
  private readonly isEnabled: boolean;
  private minute = 0;
  private readonly used = new Map<string, number>();
  private readonly refusals = new Map<string, number>();
  private readonly bans = new Bans();

  constructor(settings: Settings, @Inject(CONFIG) { rateLimits }: Config) {
    this.perMinuteMax = settings.get(WEIGHT_PER_MINUTE);
    this.isEnabled = rateLimits === 'on';
  }

  /**
   * Takes a weight, and returns what was used in this minute. Throws -1003 beyond the limit (429), and for addresses that
   * are banned since they went on all the same (418).
   */
  take(address: string, weight: number, nowMs = Date.now()): number {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.minute) {
      this.used.clear();
      this.refusals.clear();
    }
    this.minute = minute;
    const network = networkOf(address);
    const bannedUntilMs = this.bans.endOf(network, nowMs);
    if (bannedUntilMs !== undefined) throw banned(bannedUntilMs, nowMs);
    const caller = this.used.has(network) || this.used.size < ADDRESSES_MAX ? network : OTHERS;
    const used = (this.used.get(caller) ?? 0) + weight;
    if (this.isEnabled && used > this.perMinuteMax) {
      if (this.goesOn(caller)) throw banned(this.bans.ban(caller, nowMs), nowMs);
      throw this.tooMuch((minute + 1) * MINUTE_MS - nowMs);
    }
    this.used.set(caller, used);
    return used;
  }

  /** Whether an address has been refused too often; those that are counted together are strangers to each other. */
  private goesOn(caller: string): boolean {
    const refusals = (this.refusals.get(caller) ?? 0) + 1;
    this.refusals.set(caller, refusals);
    return refusals > REFUSALS_MAX && caller !== OTHERS;
  }

  private tooMuch(untilNextMs: number): BinanceError {
    const limit = `${this.perMinuteMax} request weight per 1 MINUTE`;
    return new BinanceError(
      -1003,
      `Too much request weight used; current limit is ${limit}. Please use WebSocket Streams for live updates to avoid polling the API.`,
      429,
      { 'Retry-After': String(Math.ceil(untilNextMs / 1_000)) },
    );
  }
}

function banned(untilMs: number, nowMs: number): BinanceError {
  return new BinanceError(
    -1003,
    `Way too much request weight used; IP banned until ${untilMs}. Please use WebSocket Streams for live updates to avoid bans.`,
    418,
    { 'Retry-After': String(Math.ceil((untilMs - nowMs) / 1_000)) },
  );
}
