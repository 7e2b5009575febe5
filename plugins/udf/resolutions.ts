import type { CandleInterval } from '../../src/index.js';

/** The feed's names of our candle intervals, minutes or days, shortest first. */
const INTERVALS: ReadonlyMap<string, CandleInterval> = new Map([
  ['1', '1m'],
  ['5', '5m'],
  ['15', '15m'],
  ['60', '1h'],
  ['240', '4h'],
  ['1D', '1d'],
]);

export const RESOLUTIONS: readonly string[] = [...INTERVALS.keys()];

/** Those that the chart may build longer ones from. */
export const INTRADAY_MULTIPLIERS: readonly string[] = RESOLUTIONS.filter((name) => name !== '1D');

/** `undefined` for a resolution that we have no candles of. Charts call a day `1D`, older ones `D`. */
export function intervalOf(resolution: string | undefined): CandleInterval | undefined {
  return INTERVALS.get(resolution === 'D' ? '1D' : (resolution ?? ''));
}
