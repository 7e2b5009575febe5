import { formatAmount, parseAmount } from '../../src/index.js';

export interface PriceChange {
  /** The difference, exactly. */
  readonly ch: number;
  /** The same in percent of the earlier price, cut off after four decimals. */
  readonly chp: number;
}

/** How a price differs from an earlier one; both are canonical decimal texts. `undefined` where the earlier is zero. */
export function priceChange(earlier: string, price: string): PriceChange | undefined {
  const before = parseAmount(earlier)!;
  if (before === 0n) return undefined;
  const difference = parseAmount(price)! - before;
  return { ch: Number(formatAmount(difference)), chp: Number((difference * 1_000_000n) / before) / 10_000 };
}
