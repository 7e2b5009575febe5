/**
 * Volume and price range of the last 24 hours, in whole minutes: the running minute and the 1,439
 * before it. Trades are added in order of time; a summary costs at most one pass over the minutes.
 */
export const WINDOW_MINUTES = 24 * 60;
export const MINUTE_MS = 60_000;

/** One minute of trading, in ticks and lots. */
export interface TradedMinute {
  readonly startMs: number;
  highTicks: number;
  lowTicks: number;
  /** A bigint, since a day's lots may pass the safe integers though each trade's do not. */
  volumeLots: bigint;
}

export interface WindowSummary {
  readonly volumeLots: bigint;
  /** Null where nothing was traded. */
  readonly highTicks: number | null;
  readonly lowTicks: number | null;
}

export class RollingWindow {
  /** Oldest first; minutes without a trade are absent. */
  private readonly minutes: TradedMinute[] = [];

  add(timeMs: number, priceTicks: number, sizeLots: number): void {
    this.merge({
      startMs: timeMs - (timeMs % MINUTE_MS),
      highTicks: priceTicks,
      lowTicks: priceTicks,
      volumeLots: BigInt(sizeLots),
    });
  }

  /** Adds trading that was summed up elsewhere, of the last minute or a later one. */
  merge(minute: TradedMinute): void {
    const last = this.minutes.at(-1);
    if (last === undefined || last.startMs < minute.startMs) {
      this.minutes.push({ ...minute });
      this.forget(minute.startMs);
      return;
    }
    last.highTicks = Math.max(last.highTicks, minute.highTicks);
    last.lowTicks = Math.min(last.lowTicks, minute.lowTicks);
    last.volumeLots += minute.volumeLots;
  }

  summary(nowMs: number): WindowSummary {
    this.forget(nowMs);
    let volumeLots = 0n;
    let highTicks = -Infinity;
    let lowTicks = Infinity;
    for (const minute of this.minutes) {
      volumeLots += minute.volumeLots;
      highTicks = Math.max(highTicks, minute.highTicks);
      lowTicks = Math.min(lowTicks, minute.lowTicks);
    }
    return this.minutes.length === 0
      ? { volumeLots, highTicks: null, lowTicks: null }
      : { volumeLots, highTicks, lowTicks };
  }

  private forget(nowMs: number): void {
    const firstMs = windowStart(nowMs);
    const kept = this.minutes.findIndex((minute) => minute.startMs >= firstMs);
    if (kept !== 0) this.minutes.splice(0, kept < 0 ? this.minutes.length : kept);
  }
}

/** Start of the first minute that counts at `nowMs`. */
export function windowStart(nowMs: number): number {
  return nowMs - (nowMs % MINUTE_MS) - (WINDOW_MINUTES - 1) * MINUTE_MS;
}
