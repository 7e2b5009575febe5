import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { openPool } from '../../../../test/support/pool.js';
import { purge } from '../../../kit/jobs/purges.js';
import { amountOf } from '../../../domain/money/amount.js';
import { type NewQuote, OLD_QUOTES, QuoteWriter } from './quote-writer.js';

const HOUR_MS = 3_600_000;

const quoteOf = (sizeLots: number, expiresAtMs = Date.now() + 10_000): NewQuote => ({
  accountId: 7,
  marketId: 'RAIN',
  side: 'sell',
  sizeLots,
  notional: amountOf('999999999999999999'),
  fee: amountOf('0.000000000000000001'),
  limitPriceTicks: 40,
  makerFeeRate: null,
  takerFeeRate: amountOf('0.002'),
  bookSequence: 3,
  createdAt: new Date(expiresAtMs - 10_000),
  expiresAt: new Date(expiresAtMs),
});

describe('QuoteWriter', () => {
  let database: TestDatabase;
  let pool: Pool;
  let writer: QuoteWriter;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
  });
  beforeEach(async () => {
    writer = new QuoteWriter(pool);
    await pool.query('TRUNCATE quotes');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const rows = async (): Promise<Record<string, unknown>[]> =>
    (await pool.query('SELECT * FROM quotes ORDER BY quote_id')).rows;

  it('keeps what it is given, under ids that sort by time', async () => {
    const first = await writer.write(quoteOf(1));
    const second = await writer.write(quoteOf(2));
    expect(first < second).toBe(true);
    expect(await rows()).toMatchObject([
      {
        account_id: '7',
        quote_id: first,
        market_id: 'RAIN',
        side: 'sell',
        size_lots: '1',
        notional: '999999999999999999000000000000000000',
        fee: '1',
        limit_price_ticks: '40',
        maker_fee_rate: null,
        taker_fee_rate: '2000000000000000',
        book_sequence: '3',
      },
      { quote_id: second, size_lots: '2' },
    ]);
  });

  it('writes many at once, each under its own id', async () => {
    const ids = await Promise.all(Array.from({ length: 1_200 }, (_, i) => writer.write(quoteOf(i + 1))));
    const written = await rows();
    expect(written.map(({ quote_id, size_lots }) => [quote_id, size_lots])).toEqual(
      ids.map((id, i) => [id, String(i + 1)]),
    );
  });

  it('tells everyone whose quote could not be written, and goes on', async () => {
    const broken = { ...quoteOf(1), marketId: null as unknown as string };
    const results = await Promise.allSettled([writer.write(quoteOf(1)), writer.write(broken)]);
    expect(results.map(({ status }) => status)).toContain('rejected');
    await writer.write(quoteOf(5));
    expect((await rows()).at(-1)).toMatchObject({ size_lots: '5' });
  });

  it('refuses more than it can hold', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 10_100 }, (_, i) => writer.write(quoteOf(i + 1))),
    );
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused as PromiseRejectedResult[]) {
      expect(reason).toMatchObject({ code: 'temporarily_unavailable' });
    }
    expect(await rows()).toHaveLength(results.length - refused.length);
  });

  it('removes quotes a day after they have expired', async () => {
    const kept = [await writer.write(quoteOf(1)), await writer.write(quoteOf(2, Date.now() - 23 * HOUR_MS))];
    await writer.write(quoteOf(3, Date.now() - 25 * HOUR_MS));
    expect(await purge(pool, OLD_QUOTES)).toBe(1);
    expect((await rows()).map(({ quote_id }) => quote_id)).toEqual(kept);
  });
});
