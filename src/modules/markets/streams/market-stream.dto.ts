import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  MaxLength,
} from 'class-validator';
import { MARKET_CHANNELS, type MarketChannel } from './market-channel.js';

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

/** The query of `GET /markets/{market_id}/stream`. */
export class MarketStreamQueryDto {
  /** Channels, separated by commas; all of them where this is left out. */
  @ApiPropertyOptional({ type: String, example: 'l2,trades' })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.split(',') : value))
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MARKET_CHANNELS.length)
  @ArrayUnique()
  @IsIn(MARKET_CHANNELS, { each: true })
  channels: MarketChannel[] = [...MARKET_CHANNELS];
}
