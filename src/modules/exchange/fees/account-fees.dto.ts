import type { MarketDefinition } from '../../../domain/engine/types.js';
import { formatAmount } from '../../../domain/money/amount.js';
import type { FeeRateOverride } from '../../markets/policies/fee-policy.js';
import type { FeeTierDto } from '../../markets/fees/fee-schedule.dto.js';
import type { AccountTier } from '../../markets/fees/fee-tier.js';

/** The tier of accounts in a market without fee tiers. */
const BASE_TIER = 'base';

/** What an account pays for trades in a market. */
export class AccountFeesDto {
  /** @example "BTC-USD" */
  market_id: string;
  /**
   * Share of the fee base that a resting order of this account pays; with a minus sign what it is paid at most.
   * @example "0.001"
   */
  maker_fee_rate: string;
  /**
   * Share of the fee base that an order pays which takes what is resting.
   * @example "0.002"
   */
  taker_fee_rate: string;
  /**
   * The fee tier of the account, `tier-1` being the first of its schedule; `base` where the market has one rate for all.
   * @example "base"
   */
  tier: string;
  /** The fee schedule of the account; null where it has none. */
  schedule: string | null;
  /**
   * What the account has bought and sold today and in the 29 days before, in UTC, price times size: in all markets whose
   * quote asset is `volume_asset` together. What was traded last counts some seconds later.
   * @example "125000.5"
   */
  volume_30d: string;
  /**
   * Of the schedule, or the quote asset of the market.
   * @example "USD"
   */
  volume_asset: string;
  /** The tier that more volume leads to; null where there is none. */
  next_tier: FeeTierDto | null;
}

/** `rates` are those of the operator's fee policy or schedule; null for the market's own. */
export function toAccountFeesDto(
  { marketId, makerFeeRate, takerFeeRate }: MarketDefinition,
  rates: FeeRateOverride | null,
  { schedule, place, nextTier, volume, volumeAsset }: AccountTier,
): AccountFeesDto {
  return {
    market_id: marketId,
    maker_fee_rate: rates?.maker ?? formatAmount(makerFeeRate),
    taker_fee_rate: rates?.taker ?? formatAmount(takerFeeRate),
    tier: schedule === null ? BASE_TIER : `tier-${place + 1}`,
    schedule,
    volume_30d: formatAmount(volume),
    volume_asset: volumeAsset,
    next_tier: nextTier,
  };
}
