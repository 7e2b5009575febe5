import type { MarketDefinition, Side } from '../../domain/engine/types.js';
import { unitsOf } from '../../domain/market/units.js';
import { type Amount, formatAmount } from '../../domain/money/amount.js';
import { betTermsOf } from './bet-terms.js';

/** What a quote promises, and what a matched bet came to. Amounts are in the market's quote asset. */
export class TradeTermsDto {
  /** @example "RAIN-LISBON" */
  market_id: string;
  /**
   * In contracts, or in the base asset.
   * @example "100"
   */
  size: string;
  /**
   * `notional` by `size`, rounded down at 10^-18: for the eye, the notional is what counts.
   * @example "0.4"
   */
  average_price: string;
  /**
   * Price times size, summed over all fills, before fees.
   * @example "40"
   */
  notional: string;
  /** @example "0" */
  fee: string;
  /**
   * What buying costs, the fee included, or what selling brings in, the fee taken off.
   * @example "40"
   */
  total: string;
  /**
   * Decimal odds, 1 by the average price, rounded down at 10^-18; null on spot markets, as are the next three.
   * @example "2.5"
   */
  odds: string | null;
  /**
   * What the side that backs puts up, before fees: price times size, for back and lay alike.
   * @example "40"
   */
  stake: string | null;
  /**
   * What this side stands to lose, before fees: the stake where it backs, `payout` less `stake` where it lays.
   * @example "40"
   */
  liability: string | null;
  /**
   * What the side that turns out right takes: 1 for each contract.
   * @example "100"
   */
  payout: string | null;
}

export interface TradeTerms {
  readonly side: Side;
  readonly sizeLots: number;
  readonly notional: Amount;
  readonly fee: Amount;
}

export function toTradeTermsDto(definition: MarketDefinition, terms: TradeTerms): TradeTermsDto {
  const { side, sizeLots, notional, fee } = terms;
  const units = unitsOf(definition);
  const bet = betTermsOf(definition, terms);
  return {
    market_id: definition.marketId,
    size: units.size.format(sizeLots),
    average_price: formatAmount(units.pricePer(notional, sizeLots)!),
    notional: formatAmount(notional),
    fee: formatAmount(fee),
    total: formatAmount(side === 'buy' ? notional + fee : notional - fee),
    odds: bet && formatAmount(bet.odds),
    stake: bet && formatAmount(bet.stake),
    liability: bet && formatAmount(bet.liability),
    payout: bet && formatAmount(bet.payout),
  };
}
