import { ApiProperty } from '@nestjs/swagger';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { QueryInteger } from '../../../kit/http/validation/query.js';
import { HASH, NUMBER_OF_ID, TICKS, WHOLE } from './journal-proof.dto.js';

const LOTS = { type: 'integer', minimum: 0 } as const;
const SIDE = { enum: ['buy', 'sell'], enumName: 'Side' } as const;
const TRADER = { pattern: '^[0-9a-f]{16}$', example: '5'.repeat(16) } as const;

export class ListPublicRowsQueryDto extends PageQueryDto {
  @QueryInteger(1, Number.MAX_SAFE_INTEGER, 'The lowest height to answer; 1 is the default.')
  from: number = 1;
}

export class LeafStatementsDto {
  /** How many accounts and markets the commit concerned. */
  @ApiProperty(LOTS)
  count: number;
  /** The root of a tree over one salted hash for each; GET /orders/{order_id}/receipt and others open one of them. */
  @ApiProperty(HASH)
  root_hash: string;
}

export class LeafPublicDto {
  /** SHA-256 of the row’s public part as RFC 8785 JSON; null where it has none. */
  @ApiProperty({ ...HASH, type: String, nullable: true })
  hash: string | null;
  /** The digest of all books and markets’ figures after the row. */
  @ApiProperty(HASH)
  state_hash: string;
}

/** A row’s leaf in the Merkle tree: SHA-256 of a zero byte and this as RFC 8785 JSON is in the tree. */
export class JournalLeafDto {
  @ApiProperty(WHOLE)
  height: number;
  /** The first place of the ledger’s sequence that the row holds. */
  @ApiProperty(WHOLE)
  first_sequence: number;
  /** The last one. */
  @ApiProperty(WHOLE)
  last_sequence: number;
  /** When it was committed; RFC 3339, UTC. */
  time: string;
  /** The version of the engine that wrote it. */
  @ApiProperty(WHOLE)
  engine_version: number;
  /** The hash of the row before it in the chain of rows. */
  @ApiProperty(HASH)
  previous_hash: string;
  /** The row’s own. */
  @ApiProperty(HASH)
  chain_hash: string;
  /** Of all balances, positions, open orders, holds and markets after the row. */
  @ApiProperty(HASH)
  state_hash: string;
  statements: LeafStatementsDto;
  public: LeafPublicDto;
}

/** An order as its book shows it after the commit. */
export class PublicOrderDto {
  /** The number in the order’s id. */
  @ApiProperty(NUMBER_OF_ID)
  order_id: number;
  /** A pseudonym: the same for all orders that an account sends to the market on one day (UTC). */
  @ApiProperty(TRADER)
  trader: string;
  @ApiProperty(SIDE)
  side: 'buy' | 'sell';
  /** The price in the market’s ticks. */
  @ApiProperty(TICKS)
  price_ticks: number;
  /** What the book shows of it, in the market’s lots; 0 where it is no longer in the book. */
  @ApiProperty(LOTS)
  size_lots: number;
  /** The place of the ledger’s sequence at which it joined the end of the queue at its price. */
  @ApiProperty(WHOLE)
  queue_sequence: number;
}

export class PublicTradeDto {
  /** The number in the trade’s id. */
  @ApiProperty(NUMBER_OF_ID)
  trade_id: number;
  @ApiProperty(TICKS)
  price_ticks: number;
  @ApiProperty({ ...LOTS, minimum: 1 })
  size_lots: number;
  @ApiProperty(SIDE)
  taker_side: 'buy' | 'sell';
  @ApiProperty(NUMBER_OF_ID)
  maker_order_id: number;
  @ApiProperty(NUMBER_OF_ID)
  taker_order_id: number;
  /** The pseudonym of whose order was in the book. */
  @ApiProperty(TRADER)
  maker: string;
  /** That of the other side. */
  @ApiProperty(TRADER)
  taker: string;
  /** Whether it is of a bet on a quote, which passes over the bettor’s own orders. */
  skips_own: boolean;
  /** The book’s sequence after the command that traded. */
  @ApiProperty(WHOLE)
  book_sequence: number;
}

export class PublicFiguresDto {
  /** How often the book has changed. */
  @ApiProperty(LOTS)
  book_sequence: number;
  /** Null before the first trade. */
  @ApiProperty({ ...TICKS, nullable: true })
  last_price_ticks: number | null;
  /** Contracts that are held, in lots; 0 on spot markets. */
  @ApiProperty(LOTS)
  open_interest_lots: number;
}

/** What the commit did to one market. */
export class PublicMarketDto {
  market_id: string;
  figures: PublicFiguresDto;
  /** Orders that have changed, by their numbers. */
  @ApiProperty({ type: [PublicOrderDto] })
  orders: PublicOrderDto[];
  /** In the order in which they happened. */
  @ApiProperty({ type: [PublicTradeDto] })
  trades: PublicTradeDto[];
}

export class PublicPartDto {
  /** Markets that the commit has changed, by their ids. */
  @ApiProperty({ type: [PublicMarketDto] })
  markets: PublicMarketDto[];
}

/** A row of the journal as anyone may see it. */
export class PublicRowDto {
  leaf: JournalLeafDto;
  /** Null where the commit changed no market. */
  @ApiProperty({ type: PublicPartDto, nullable: true })
  public: PublicPartDto | null;
}
