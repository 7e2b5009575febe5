import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EntityManager } from 'typeorm';
import { GroupCommit } from '../../../kit/database/group-commit.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { rowsOf } from '../../../kit/database/transaction.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import type { QuoteEntity } from './quote.entity.js';
import { QUOTE_IDS } from '../ids.js';

/** A quote that has been priced and has no id yet. */
export type NewQuote = Omit<QuoteEntity, 'quoteId' | 'status' | 'orderId'>;

const QUOTES_PER_STATEMENT_MAX = 500;
const WAITING_MAX = 10_000;

/**
 * Kept as long as an `Idempotency-Key` of an acceptance: who repeats one can always be answered. Nothing else needs
 * an old quote, since a matched bet tells its own terms.
 */
export const OLD_QUOTES: PurgedRows = {
  table: 'quotes',
  key: ['account_id', 'quote_id'],
  over: `expires_at < now() - interval '24 hours'`,
  orderBy: 'expires_at',
};

const INSERT = `
  INSERT INTO quotes (account_id, quote_id, market_id, side, size_lots, notional, fee, limit_price_ticks,
    maker_fee_rate, taker_fee_rate, book_sequence, created_at, expires_at)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::numeric[], $7::numeric[],
    $8::bigint[], $9::numeric[], $10::numeric[], $11::bigint[], $12::timestamptz[], $13::timestamptz[])`;

/** Writes quotes, those that come at the same time with one statement. */
@Injectable()
export class QuoteWriter {
  private readonly quotes = new GroupCommit<NewQuote, string>(
    { batchMax: QUOTES_PER_STATEMENT_MAX, waitingMax: WAITING_MAX, refuse: tooManyWaiting },
    (take) => this.insert(this.pool, take()),
  );

  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** Resolves with the quote's id once it is durable. Rejects with `temporarily_unavailable` where too many wait. */
  write(quote: NewQuote): Promise<string> {
    return this.quotes.add(quote);
  }

  /** Writes one in the caller's own transaction; answers its id. */
  async writeIn(manager: EntityManager, quote: NewQuote): Promise<string> {
    const [quoteId] = await this.insert(manager, [quote]);
    return quoteId!;
  }

  private async insert(transaction: Pool | EntityManager, quotes: readonly NewQuote[]): Promise<string[]> {
    const rows = await rowsOf<{ number: string }>(
      transaction,
      `SELECT nextval('quote_numbers') AS number FROM generate_series(1, $1)`,
      [quotes.length],
    );
    const ids = rows.map(({ number }) => QUOTE_IDS.format(Number(number)));
    const values = [
      quotes.map(({ accountId }) => accountId),
      ids,
      quotes.map(({ marketId }) => marketId),
      quotes.map(({ side }) => side),
      quotes.map(({ sizeLots }) => sizeLots),
      quotes.map(({ notional }) => notional),
      quotes.map(({ fee }) => fee),
      quotes.map(({ limitPriceTicks }) => limitPriceTicks),
      quotes.map(({ makerFeeRate }) => makerFeeRate),
      quotes.map(({ takerFeeRate }) => takerFeeRate),
      quotes.map(({ bookSequence }) => bookSequence),
      quotes.map(({ createdAt }) => createdAt),
      quotes.map(({ expiresAt }) => expiresAt),
    ];
    if (transaction instanceof EntityManager) await transaction.query(INSERT, values);
    else await transaction.query({ name: 'write-quotes', text: INSERT, values });
    return ids;
  }
}

export function tooManyWaiting(): ApiError {
  return new ApiError(TEMPORARILY_UNAVAILABLE, 'Too many quotes wait already. Slow down.', {
    headers: { 'Retry-After': '1' },
  });
}
