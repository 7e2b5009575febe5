import { ApiProperty } from '@nestjs/swagger';
import { LEVELS_SCHEMA, type LevelDto } from '../market-data/orderbook.dto.js';
import { TradeDto } from '../market-data/trade.dto.js';

/** What every event of a market says beside its type and its data. */
export class MarketEventEnvelopeDto {
  /** @example "BTC-USD" */
  market_id: string;
  /** That of the market's book which the event tells: within a channel it never goes back. */
  @ApiProperty({ type: 'integer', example: 42 })
  sequence: number;
  /** RFC 3339, UTC. */
  created_at: string;
}

/** The best levels of a book, or those of them that changed; a size of `"0"` removes its level. */
export class BookLevelsDto {
  @ApiProperty(LEVELS_SCHEMA)
  bids: readonly LevelDto[];
  @ApiProperty(LEVELS_SCHEMA)
  asks: readonly LevelDto[];
  /**
   * Of the levels that this leads to, as `GET /markets/{market_id}/orderbook` tells it to the same depth.
   * @example "00000000"
   */
  checksum: string;
}

/** What changed of a book since `previous_sequence`. */
export class BookUpdateDto extends BookLevelsDto {
  /** The sequence of the event before this one. */
  @ApiProperty({ type: 'integer', example: 41 })
  previous_sequence: number;
}

/** Trades: in a snapshot the latest ones, newest first; afterwards those that are new, oldest first. */
export class TradesDto {
  @ApiProperty({ type: [TradeDto] })
  trades: readonly TradeDto[];
}
