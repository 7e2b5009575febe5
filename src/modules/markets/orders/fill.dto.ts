import { ApiProperty } from '@nestjs/swagger';
import type { MarketDefinition, Side, Trade } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { formatAmount } from '../../../domain/money/amount.js';
import { FILL_IDS, ORDER_IDS, TRADE_IDS } from '../names/ids.js';

export type Liquidity = 'maker' | 'taker';

/** What a fill needs to know of its trade. */
export type FilledTrade = Pick<
  Trade,
  | 'tradeId'
  | 'priceTicks'
  | 'sizeLots'
  | 'takerSide'
  | 'makerOrderId'
  | 'takerOrderId'
  | 'makerFee'
  | 'takerFee'
  | 'executedAtMs'
  | 'bookSequence'
>;

/** A fill of one of the caller's own orders. */
export class FillDto {
  /** @example "fil_0000000002S" */
  fill_id: string;
  /** The trade that both sides share. */
  trade_id: string;
  order_id: string;
  /** @example "BTC-USD" */
  market_id: string;
  /** @example "buy" */
  side: Side;
  /**
   * In the quote asset; always the maker's price.
   * @example "60000"
   */
  price: string;
  /** @example "0.25" */
  size: string;
  /** In `fee_asset`. */
  fee: string;
  /** @example "USD" */
  fee_asset: string;
  /** `maker` where the order was resting, `taker` where it came in. */
  liquidity: Liquidity;
  /** RFC 3339, UTC. */
  executed_at: string;
  /** The market's book sequence of the command that traded. */
  @ApiProperty({ type: 'integer' })
  sequence: number;
}

/**
 * A trade has one id and two fills: doubling it gives each side an id of its own that still sorts by time.
 */
export function fillIdOf(tradeId: number, liquidity: Liquidity): string {
  return FILL_IDS.format(tradeId * 2 + (liquidity === 'taker' ? 1 : 0));
}

/** The trade as one of its two orders sees it. */
export function toFillDto(trade: FilledTrade, orderId: number, definition: MarketDefinition): FillDto {
  const units = unitsOf(definition);
  const isTaker = trade.takerOrderId === orderId;
  const liquidity = isTaker ? 'taker' : 'maker';
  return {
    fill_id: fillIdOf(trade.tradeId, liquidity),
    trade_id: TRADE_IDS.format(trade.tradeId),
    order_id: ORDER_IDS.format(orderId),
    market_id: definition.marketId,
    side: isTaker === (trade.takerSide === 'buy') ? 'buy' : 'sell',
    price: units.price.format(trade.priceTicks),
    size: units.size.format(trade.sizeLots),
    fee: formatAmount(isTaker ? trade.takerFee : trade.makerFee),
    fee_asset: definition.quoteAsset,
    liquidity,
    executed_at: new Date(trade.executedAtMs).toISOString(),
    sequence: trade.bookSequence,
  };
}
