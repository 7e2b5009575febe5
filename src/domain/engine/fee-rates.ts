/** The fee rates that an order may have of its own, instead of its market's. */
import { amountOf, ONE } from '../money/amount.js';
import type { Refusal } from './commands.js';
import { refusal } from './context.js';
import type { FeeRates } from './types.js';

/** Rates as plain decimals; a rebate has a minus sign. */
export interface FeeRateTexts {
  readonly maker: string;
  readonly taker: string;
}

const SIGNED_RATE = /^-?0(\.\d{1,18})?$/;

/**
 * Rates of which the taker's is in [0, 1), and the maker's below 1 and no larger a rebate than the taker's rate: with higher
 * ones a sale could cost more than it brings in. `undefined` for anything else.
 */
export function parseFeeRates({ maker, taker }: FeeRateTexts): FeeRates | undefined {
  if (!SIGNED_RATE.test(maker) || !SIGNED_RATE.test(taker)) return undefined;
  const rates = { maker: amountOf(maker), taker: amountOf(taker) };
  const areRates = rates.taker >= 0n && rates.taker < ONE && rates.maker < ONE;
  return areRates && rates.maker + rates.taker >= 0n ? rates : undefined;
}

export function checkFeeRates(feeRates: FeeRateTexts | null): Refusal | null {
  if (feeRates === null || parseFeeRates(feeRates) !== undefined) return null;
  return refusal('invalid_amount', 'Fee rates are below 1, and no rebate is larger than the taker fee rate.');
}
