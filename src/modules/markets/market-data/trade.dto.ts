import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { ApiProperty } from '@nestjs/swagger';
import type { Side, Trade } from '../../../domain/engine/types.js';
import type { MarketUnits } from '../../../domain/market/units.js';
import { TRADE_IDS } from '../names/ids.js';

/** A public trade: who traded is nobody's business. */
export class TradeDto {
  /** @example "trd_0000000002Q" */
  trade_id: string;
  /** @example "BTC-USD" */
  market_id: string;
  /**
   * In the quote asset.
   * @example "60000"
   */
  price: string;
  /** @example "0.25" */
  size: string;
  /**
   * The side that came in and took what was resting.
   * @example "buy"
   */
  taker_side: Side;
  /** RFC 3339, UTC. */
  executed_at: string;
  /** The market's book sequence of the command that traded. */
  @ApiProperty({ type: 'integer' })
  sequence: number;
}

/** The columns of the list as CSV. */
export const TRADE_CSV_COLUMNS = [
  'trade_id',
  'market_id',
  'sequence',
  'price',
  'size',
  'taker_side',
  'executed_at',
] as const satisfies readonly CsvColumn<TradeDto>[];

/** What is shown of a trade, whether it was read or has just been committed. */
type ShownTrade = Pick<
  Trade,
  'tradeId' | 'marketId' | 'priceTicks' | 'sizeLots' | 'takerSide' | 'bookSequence'
>;

export function toTradeDto(trade: ShownTrade & { readonly executedAt: Date }, units: MarketUnits): TradeDto {
  return {
    trade_id: TRADE_IDS.format(trade.tradeId),
    market_id: trade.marketId,
    price: units.price.format(trade.priceTicks),
    size: units.size.format(trade.sizeLots),
    taker_side: trade.takerSide,
    executed_at: trade.executedAt.toISOString(),
    sequence: trade.bookSequence,
  };
}
