import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsInstance,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { PROTECTION_FILLS_MAX, PROTECTION_WINDOW_MS_MAX } from '../../../domain/engine/maker-protection.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import { OrderResultDto } from '../orders/order-batch.dto.js';

const QUOTES_MAX = 100;
const PROTECTION_SECONDS_MAX = PROTECTION_WINDOW_MS_MAX / 1_000;

/** At what a maker would trade. */
export class QuotedSideDto {
  /**
   * In the quote asset: a multiple of the market's `tick_size`.
   * @example "0.40"
   */
  @ApiProperty()
  @IsPlainDecimal()
  price: string;

  /**
   * In the base asset (contracts in event markets): a multiple of the market's `lot_size`.
   * @example "100"
   */
  @ApiProperty()
  @IsPlainDecimal()
  size: string;
}

/** What a maker wants to have in one market. */
export class QuotedMarketDto {
  /**
   * The market, by its symbol; each at most once.
   * @example "RAIN-LISBON"
   */
  @ApiProperty()
  @IsString()
  @MinLength(1)
  @MaxLength(64)
  market_id: string;

  /** What to buy at; left out, nothing: a present bid is cancelled. */
  @ApiPropertyOptional()
  @IsOptional()
  @ValidateNested()
  @Type(() => QuotedSideDto)
  @IsInstance(QuotedSideDto)
  bid?: QuotedSideDto;

  /** What to sell at; left out, nothing: a present ask is cancelled. */
  @ApiPropertyOptional()
  @IsOptional()
  @ValidateNested()
  @Type(() => QuotedSideDto)
  @IsInstance(QuotedSideDto)
  ask?: QuotedSideDto;
}

/** After how much trading all quotes of the account are cancelled. */
export class MakerProtectionDto {
  /**
   * So many fills of its quotes, in all markets together; 0 ends the protection.
   * @example 5
   */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: PROTECTION_FILLS_MAX })
  @IsInt()
  @Min(0)
  @Max(PROTECTION_FILLS_MAX)
  fills: number;

  /**
   * Within so long.
   * @example 10
   */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: PROTECTION_SECONDS_MAX })
  @IsInt()
  @Min(1)
  @Max(PROTECTION_SECONDS_MAX)
  seconds: number;

  /** Begins to count anew. Needed to quote again once the protection has cancelled all quotes (`quotes_protected`). */
  @ApiPropertyOptional({ default: false })
  @IsOptional()
  @IsBoolean()
  reset?: boolean;
}

/** The body of `POST /quotes/mass`. */
export class MassQuoteDto {
  /** Markets that are not named keep their quotes. */
  @ApiProperty({ type: [QuotedMarketDto], minItems: 1, maxItems: QUOTES_MAX })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(QUOTES_MAX)
  @ArrayUnique((quote: QuotedMarketDto | null) => quote?.market_id, {
    message: '$property must name each market once',
  })
  @ValidateNested({ each: true })
  @Type(() => QuotedMarketDto)
  quotes: QuotedMarketDto[];

  /** Left out, it stays as it was. */
  @ApiPropertyOptional()
  @IsOptional()
  @ValidateNested()
  @Type(() => MakerProtectionDto)
  @IsInstance(MakerProtectionDto)
  protection?: MakerProtectionDto;

  /** One of the caller's own accounts; without it, the credential's own. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;
}

/** What has become of the quotes in one market. */
export class QuotedMarketResultDto {
  /** @example "RAIN-LISBON" */
  market_id: string;
  /** The order that bids now, or why there is none; null where none was asked for. */
  @ApiProperty({ type: OrderResultDto, nullable: true })
  bid: OrderResultDto | null;
  /** The order that asks now, or why there is none; null where none was asked for. */
  @ApiProperty({ type: OrderResultDto, nullable: true })
  ask: OrderResultDto | null;
}

export class MassQuoteResultDto {
  /** One for each market, in their order. */
  quotes: QuotedMarketResultDto[];
}

/** A point for each side; what has more than may be is refused by its validation. */
export function costOfQuotes(body: unknown): number {
  const quotes = (body as Partial<MassQuoteDto> | null | undefined)?.quotes;
  if (!Array.isArray(quotes)) return 1;
  let sides = 0;
  for (const quote of quotes.slice(0, QUOTES_MAX) as (Partial<QuotedMarketDto> | null)[])
    sides += Number(quote?.bid != null) + Number(quote?.ask != null);
  return Math.max(1, sides);
}

/** Bodies that run against the demo data as they stand. */
export const MASS_QUOTE_EXAMPLES = {
  event: {
    summary: 'Bid and ask for contracts, and leave the market after five fills in ten seconds',
    value: {
      quotes: [
        {
          market_id: 'RAIN-LISBON',
          bid: { price: '0.20', size: '50' },
          ask: { price: '0.80', size: '50' },
        },
      ],
      protection: { fills: 5, seconds: 10 },
    },
  },
} as const;
