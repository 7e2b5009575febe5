import { crc32 } from 'node:zlib';
import { ApiProperty } from '@nestjs/swagger';
import type { BookView } from '../../../core/core.types.js';
import type { BookLevel } from '../../../domain/engine/types.js';
import type { MarketUnits } from '../../../domain/market/units.js';
import { QueryInteger } from '../../../kit/http/validation/query.js';

export const DEPTH_DEFAULT = 50;
export const DEPTH_MAX = 1_000;

/** How many levels of each side the checksum covers. */
export const CHECKSUM_LEVELS = 10;

/** `[price, size, orders]`: price in the quote asset, size in the base asset (or contracts), how many orders. */
export type LevelDto = [price: string, size: string, orders: number];

export const LEVELS_SCHEMA = {
  type: 'array' as const,
  items: {
    type: 'array' as const,
    minItems: 3,
    maxItems: 3,
    items: { oneOf: [{ type: 'string' as const }, { type: 'integer' as const }] },
  },
  description: '`[price, size, orders]`, best first.',
  example: [['60000', '0.25', 1]],
};

export class OrderbookQueryDto {
  /**
   * How many levels of each side to answer at most.
   * @example 50
   */
  @QueryInteger(1, DEPTH_MAX, `How many levels of each side to answer at most (default ${DEPTH_DEFAULT}).`)
  depth: number = DEPTH_DEFAULT;
}

/** The book of one market, level by level, as the last committed command left it. */
export class OrderbookDto {
  /** @example "BTC-USD" */
  market_id: string;
  /** Counts the commands that changed this book: +1 each, stored, without gaps. */
  @ApiProperty({ type: 'integer' })
  sequence: number;
  /** When the book last changed, RFC 3339, UTC. */
  timestamp: string;
  @ApiProperty(LEVELS_SCHEMA)
  bids: LevelDto[];
  @ApiProperty(LEVELS_SCHEMA)
  asks: LevelDto[];
  /**
   * CRC-32, eight hex digits, of `bid price:bid size:ask price:ask size` for each of the top ten levels,
   * all joined by `:`; where a side has no such level its two figures are left out.
   * @example "00000000"
   */
  checksum: string;
}

export function toOrderbookDto(book: BookView, units: MarketUnits): OrderbookDto {
  const bids = book.bids.map((level) => toLevelDto(level, units));
  const asks = book.asks.map((level) => toLevelDto(level, units));
  return {
    market_id: book.marketId,
    sequence: book.bookSequence,
    timestamp: new Date(book.timeMs).toISOString(),
    bids,
    asks,
    checksum: checksumOf(bids, asks),
  };
}

export function toLevelDto([priceTicks, sizeLots, orders]: BookLevel, units: MarketUnits): LevelDto {
  return [units.price.format(priceTicks), units.size.format(sizeLots), orders];
}

/** The checksum of a book whose levels are given best first. */
export function checksumOf(bids: readonly LevelDto[], asks: readonly LevelDto[]): string {
  const figures: string[] = [];
  for (let i = 0; i < CHECKSUM_LEVELS; i++) {
    for (const level of [bids[i], asks[i]]) {
      if (level !== undefined) figures.push(level[0], level[1]);
    }
  }
  return crc32(figures.join(':')).toString(16).padStart(8, '0');
}
