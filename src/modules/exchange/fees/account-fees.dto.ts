import type { MarketDefinition } from '../../../domain/engine/types.js';
import { formatAmount, ZERO } from '../../../domain/money/amount.js';
import type { FeeRateOverride } from '../../../platform/extension/fee-policy.js';

/** The tier of accounts in a market without fee tiers. */
const BASE_TIER = 'base';

/** What an account pays for trades in a market. */
export class AccountFeesDto {
  /** @example "BTC-USD" */
  market_id: string;
  /**
   * Share of the fee base that a resting order of this account pays.
   * @example "0.001"
   */
  maker_fee_rate: string;
  /**
   * Share of the fee base that an order pays which takes what is resting.
   * @example "0.002"
   */
  taker_fee_rate: string;
  /**
   * The fee tier of the account; `base` where the market has one rate for all.
   * @example "base"
   */
  tier: string;
  /**
   * What the account has bought and sold in the last 30 days, price times size, in the quote asset of the market: in
   * all markets of that quote asset together.
   * @example "125000.5"
   */
  volume_30d: string;
}

/** `rates` are those of the operator's fee policy; null for the market's own. `volume` is in units of 10^-18. */
export function toAccountFeesDto(
  { marketId, makerFeeRate, takerFeeRate }: MarketDefinition,
  rates: FeeRateOverride | null,
  volume: bigint = ZERO,
): AccountFeesDto {
  return {
    market_id: marketId,
    maker_fee_rate: rates?.maker ?? formatAmount(makerFeeRate),
    taker_fee_rate: rates?.taker ?? formatAmount(takerFeeRate),
    tier: BASE_TIER,
    volume_30d: formatAmount(volume),
  };
}
