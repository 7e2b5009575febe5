import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, networkOf, PluginSettings, type Config } from '../../src/index.js';
import { BinanceError } from './binance-error.js';
import { WEIGHT_PER_MINUTE } from './settings.js';

const MINUTE_MS = 60_000;
/** Addresses counted one by one in a minute; all others together count as one, which bounds memory. */
const ADDRESSES_MAX = 50_000;
const OTHERS = 'others';

/** The weight that addresses used in the running minute, in this process. */
@Injectable()
export class RequestWeights {
  readonly perMinuteMax: number;
  private readonly isEnabled: boolean;
  private minute = 0;
  private readonly used = new Map<string, number>();

  constructor(settings: PluginSettings, @Inject(CONFIG) { rateLimits }: Config) {
    this.perMinuteMax = settings.get(WEIGHT_PER_MINUTE);
    this.isEnabled = rateLimits === 'on';
  }

  /** Takes a weight, and returns what was used in this minute. Throws -1003 (429) beyond the limit. */
  take(address: string, weight: number, nowMs = Date.now()): number {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.minute) this.used.clear();
    this.minute = minute;
    const network = networkOf(address);
    const caller = this.used.has(network) || this.used.size < ADDRESSES_MAX ? network : OTHERS;
    const used = (this.used.get(caller) ?? 0) + weight;
    if (this.isEnabled && used > this.perMinuteMax) throw this.tooMuch((minute + 1) * MINUTE_MS - nowMs);
    this.used.set(caller, used);
    return used;
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
