import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { ApiQueryChoices, QueryInteger } from '../../../kit/http/validation/query.js';
import { DEPTH_DEFAULT, DEPTH_MAX } from '../market-data/orderbook.dto.js';
import { MARKET_CHANNELS, type MarketChannel } from './market-topic.js';

/** What to follow of a market. */
export class SubscriptionDto {
  /** @example "BTC-USD" */
  @IsString()
  @MaxLength(64)
  market_id: string;

  /** @example ["l2", "trades"] */
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MARKET_CHANNELS.length)
  @ArrayUnique()
  @IsIn(MARKET_CHANNELS, { each: true })
  channels: MarketChannel[];
}

/** The message that begins to follow a market. */
export class SubscribeDto extends SubscriptionDto {
  /**
   * How many levels of each side of the book; 50 where nothing is said. Another depth begins with a new snapshot.
   * @example 50
   */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(DEPTH_MAX)
  depth?: number;
}

/** The query of `GET /markets/{market_id}/stream`. */
export class MarketStreamQueryDto {
  /** Channels, separated by commas; all of them where this is left out. */
  @ApiQueryChoices(MARKET_CHANNELS, 'Channels, separated by commas; all of them where this is left out.')
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value))
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MARKET_CHANNELS.length)
  @ArrayUnique()
  @IsIn(MARKET_CHANNELS, { each: true })
  channels: MarketChannel[] = [...MARKET_CHANNELS];

  /** How many levels of each side of the book to follow. */
  @QueryInteger(
    1,
    DEPTH_MAX,
    `How many levels of each side of the book to follow (default ${DEPTH_DEFAULT}).`,
  )
  depth: number = DEPTH_DEFAULT;
}
