import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import type { MarketDefinition, Side } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import { ApiQueryChoices, QueryText } from '../../../kit/http/validation/query.js';
import { SIDES } from '../../markets/orders/place-order.dto.js';
import { TradeTermsDto, toTradeTermsDto } from '../trade-terms.dto.js';
import { QUOTE_STATUSES, type QuoteEntity, type QuoteStatus } from './quote.entity.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';
import { MATCHED_BET_IDS } from '../ids.js';

const STATUS = `(?:${QUOTE_STATUSES.join('|')})`;
const STATUS_LIST = new RegExp(`^${STATUS}(?:,${STATUS}){0,${QUOTE_STATUSES.length - 1}}$`);

/** The body of `POST /quotes`: what to trade, for either a size or a stake. */
export class CreateQuoteDto {
  /**
   * The market, by its symbol.
   * @example "RAIN-LISBON"
   */
  @ApiProperty()
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  market_id: string;

  /**
   * `buy` backs the outcome of an event market, `sell` lays it.
   * @example "buy"
   */
  @ApiProperty()
  @IsIn(SIDES)
  side: Side;

  /**
   * How much, in contracts or in the base asset: a multiple of the market's `lot_size`. Either this or `stake`.
   * @example "100"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  size?: string;

  /**
   * The most that price times size may come to, in the quote asset and before fees: the quote is for as many
   * whole lots as that is enough for. Either this or `size`.
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainDecimal()
  stake?: string;

  /** One of the caller's own accounts; without it, the credential's own. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;
}

/** Bodies that run against the demo data as they stand, once others offer and bid there. */
export const CREATE_QUOTE_EXAMPLES = {
  size: {
    summary: 'Back rain in Lisbon with 100 contracts',
    value: { market_id: 'RAIN-LISBON', side: 'buy', size: '100' },
  },
  stake: {
    summary: 'Back rain in Lisbon with 50 dollars',
    value: { market_id: 'RAIN-LISBON', side: 'buy', stake: '50' },
  },
} as const;

/** The filters of `GET /quotes`. */
export class ListQuotesQueryDto extends PageQueryDto {
  /**
   * Only quotes of this market.
   * @example "RAIN-LISBON"
   */
  @QueryText(64, 'Only quotes of this market.')
  market_id?: string;

  /** Only quotes in one of these states, separated by commas. */
  @ApiQueryChoices(QUOTE_STATUSES, 'Only quotes in one of these states, separated by commas.')
  @IsOptional()
  @IsString()
  @Matches(STATUS_LIST, {
    message: `$property must be one or more of ${QUOTE_STATUSES.join(', ')}, separated by commas`,
  })
  status?: string;

  /** One of the caller's own accounts; without it, the credential's own. */
  @QueryText(64, "One of the caller's own accounts; without it, the credential's own.")
  account_id?: string;
}

/** A price for a whole size, good until it expires or the book moves away. Nothing is reserved for it. */
export class QuoteDto extends TradeTermsDto {
  /** @example "qte_0000000001D" */
  quote_id: string;
  account_id: string;
  /**
   * `open` until it is `accepted` or `expired`, by the clock of the database.
   * @example "open"
   */
  status: QuoteStatus;
  /** @example "buy" */
  side: Side;
  /**
   * The worst price of the walk through the book.
   * @example "0.4"
   */
  limit_price: string;
  /** From then on it is refused. RFC 3339, UTC. */
  expires_at: string;
  /** RFC 3339, UTC. */
  created_at: string;
  /** The market's book sequence at which the quote was made. */
  @ApiProperty({ type: 'integer' })
  sequence: number;
  /** What became of it; null until it is accepted. */
  matched_bet_id: string | null;
}

/** What a quote's answer is made of; a quote that was just made has no row yet to be read back. */
export type QuoteRecord = Omit<QuoteEntity, 'makerFeeRate' | 'takerFeeRate'>;

export function toQuoteDto(quote: QuoteRecord, definition: MarketDefinition): QuoteDto {
  const { quoteId, accountId, status, side, orderId } = quote;
  return {
    quote_id: quoteId,
    account_id: ACCOUNT_IDS.format(accountId),
    status,
    side,
    ...toTradeTermsDto(definition, quote),
    limit_price: unitsOf(definition).price.format(quote.limitPriceTicks),
    expires_at: quote.expiresAt.toISOString(),
    created_at: quote.createdAt.toISOString(),
    sequence: quote.bookSequence,
    matched_bet_id: orderId === null ? null : MATCHED_BET_IDS.format(Number(orderId)),
  };
}
