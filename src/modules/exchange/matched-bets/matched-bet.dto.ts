import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import type { AcceptQuote } from '../../../domain/engine/commands.js';
import type { OrderPreview } from '../../../domain/engine/preview.js';
import type { MarketDefinition, OrderSnapshot } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { QueryText } from '../../../kit/http/validation/query.js';
import { FillDto, type FilledTrade, toFillDto } from '../../markets/orders/fill.dto.js';
import { PreviewFillDto, toPreviewFillDtos } from '../../markets/orders/order-preview.dto.js';
import { FILLS_SHOWN_MAX } from '../../markets/orders/order.dto.js';
import { type BetSide, betSideOf } from '../bet-terms.js';
import { TradeTermsDto, toTradeTermsDto } from '../trade-terms.dto.js';
import { MATCHED_BET_IDS } from '../ids.js';
import { ORDER_IDS } from '../../markets/names/ids.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** The body of `POST /matched-bets` and of its preview. */
export class AcceptQuoteDto {
  /**
   * The quote to accept.
   * @example "qte_0000000001D"
   */
  @ApiProperty()
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  quote_id: string;
}

/** The filters of `GET /matched-bets`. */
export class ListMatchedBetsQueryDto extends PageQueryDto {
  /**
   * Only bets on this market.
   * @example "RAIN-LISBON"
   */
  @QueryText(64, 'Only bets on this market.')
  market_id?: string;

  /** One of the caller's own accounts; without it, the credential's own. */
  @QueryText(64, "One of the caller's own accounts; without it, the credential's own.")
  account_id?: string;
}

/** An accepted quote, filled whole: at the quoted notional or better, whatever the book had become. */
export class MatchedBetDto extends TradeTermsDto {
  /** @example "mbt_0000000002E" */
  matched_bet_id: string;
  /** @example "qte_0000000001D" */
  quote_id: string;
  /** The order that was filled: see `GET /orders/{order_id}`. */
  order_id: string;
  account_id: string;
  /**
   * `back` where the quote was to buy, `lay` where it was to sell.
   * @example "back"
   */
  side: BetSide;
  /** RFC 3339, UTC. */
  created_at: string;
  /** The market's book sequence of the command that filled it. */
  @ApiProperty({ type: 'integer' })
  sequence: number;
}

/** A matched bet with its fills, oldest first. */
export class MatchedBetWithFillsDto extends MatchedBetDto {
  /** At most the first 1,000. */
  fills: FillDto[];
}

/** What accepting the quote now would come to; nothing has been changed. */
export class MatchedBetPreviewDto extends TradeTermsDto {
  /** @example "qte_0000000001D" */
  quote_id: string;
  /** @example "back" */
  side: BetSide;
  /** Best price first. */
  fills: PreviewFillDto[];
}

/** A bet is the order that filled it, by the quote that it came from. */
export function toMatchedBetDto(
  order: OrderSnapshot,
  quoteId: string,
  definition: MarketDefinition,
): MatchedBetDto {
  return {
    matched_bet_id: MATCHED_BET_IDS.format(order.orderId),
    quote_id: quoteId,
    order_id: ORDER_IDS.format(order.orderId),
    account_id: ACCOUNT_IDS.format(order.accountId),
    side: betSideOf(order.side),
    ...toTradeTermsDto(definition, {
      side: order.side,
      sizeLots: order.filledLots,
      notional: order.filledNotional,
      fee: order.fees,
    }),
    created_at: new Date(order.createdAtMs).toISOString(),
    sequence: order.bookSequence,
  };
}

/** `trades` are those of the order, oldest first. */
export function toMatchedBetWithFillsDto(
  order: OrderSnapshot,
  quoteId: string,
  trades: readonly FilledTrade[],
  definition: MarketDefinition,
): MatchedBetWithFillsDto {
  return {
    ...toMatchedBetDto(order, quoteId, definition),
    fills: trades.slice(0, FILLS_SHOWN_MAX).map((trade) => toFillDto(trade, order.orderId, definition)),
  };
}

export function toMatchedBetPreviewDto(
  preview: OrderPreview,
  { quoteId, side }: AcceptQuote,
  definition: MarketDefinition,
): MatchedBetPreviewDto {
  return {
    quote_id: quoteId,
    side: betSideOf(side),
    ...toTradeTermsDto(definition, {
      side,
      sizeLots: preview.filledLots,
      notional: preview.filledNotional,
      fee: preview.fees,
    }),
    fills: toPreviewFillDtos(preview, unitsOf(definition)),
  };
}
