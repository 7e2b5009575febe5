/** Tiers of a fee schedule, in the form in which they are stored: canonical decimals. */
import { parseFeeRates } from '../../../domain/engine/fee-rates.js';
import { amountOf, formatAmount, parseAmount } from '../../../domain/money/amount.js';
import type { FeeRateOverride } from '../policies/fee-policy.js';
import type { FieldError } from '../../../kit/http/errors.js';

/** The schedule of all accounts that have no other one. */
export const DEFAULT_SCHEDULE = 'default';

export interface FeeTier {
  readonly volume_30d: string;
  readonly maker_fee_rate: string;
  readonly taker_fee_rate: string;
}

/** What an account pays in markets of a quote asset. */
export interface AccountTier {
  readonly schedule: string | null;
  /** Its place in the schedule, from 0. */
  readonly place: number;
  /** Null where the market's own apply. */
  readonly rates: FeeRateOverride | null;
  readonly nextTier: FeeTier | null;
  readonly volumeAsset: string;
  readonly volume: bigint;
}

/** The tiers in canonical form, or what is wrong with them: they begin at zero and rise, and no trade may cost the house. */
export function checkTiers(tiers: readonly FeeTier[]): readonly FeeTier[] | FieldError[] {
  const errors: FieldError[] = [];
  let before = -1n;
  const canonical = tiers.map(({ volume_30d, maker_fee_rate, taker_fee_rate }, place) => {
    const volume = parseAmount(volume_30d) ?? -1n;
    const rates = parseFeeRates({ maker: maker_fee_rate, taker: taker_fee_rate });
    if (place === 0 ? volume !== 0n : volume <= before) {
      const message = place === 0 ? 'must be 0 in the first tier' : 'must be above that of the tier before';
      errors.push({ field: `tiers.${place}.volume_30d`, message });
    }
    if (rates === undefined) {
      const message = 'must be below 1, and with taker_fee_rate at least 0';
      errors.push({ field: `tiers.${place}.maker_fee_rate`, message });
    }
    before = volume;
    return {
      volume_30d: formatAmount(volume),
      maker_fee_rate: formatAmount(rates?.maker ?? 0n),
      taker_fee_rate: formatAmount(rates?.taker ?? 0n),
    };
  });
  return errors.length > 0 ? errors : canonical;
}

/** The place of the highest tier that the volume reaches; there always is one. */
export function tierAt(tiers: readonly FeeTier[], volume: bigint): number {
  return tiers.findLastIndex(({ volume_30d }) => amountOf(volume_30d) <= volume);
}

/** Whether a rebate of these tiers is more than the lowest taker fee there is: it is then paid in part. */
export function areRebatesCapped(tiers: readonly FeeTier[], others: readonly FeeTier[]): boolean {
  const takers = others.map(({ taker_fee_rate }) => amountOf(taker_fee_rate));
  return tiers.some(({ maker_fee_rate }) => takers.some((taker) => -amountOf(maker_fee_rate) > taker));
}
