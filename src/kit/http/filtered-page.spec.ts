import { DataSource, Entity } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { readOnly } from '../database/columns.js';
import { typeOrmOptions } from '../database/database.module.js';
import { decodeCursor, type Page, filteredPageOf } from './pagination.js';

const ACCOUNT = 7;
const BETS = 12_000;

@Entity('matched_bets')
class Bet {
  @readOnly.integerKey()
  readonly accountId: number;

  @readOnly.integerKey()
  readonly orderId: number;

  @readOnly.text()
  readonly marketId: string;
}

describe('filteredPageOf', () => {
  let database: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    source = await new DataSource({
      ...typeOrmOptions(database.url),
      entities: [Bet],
    }).initialize();
    // One bet in six thousand is on the rare market.
    await source.query(
      `INSERT INTO matched_bets SELECT $1, n, 'qte_' || n, CASE WHEN n % 6000 = 1 THEN 'RARE' ELSE 'MUCH' END, now()
       FROM generate_series(1, $2) n`,
      [ACCOUNT, BETS],
    );
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  const page = (marketId: string | undefined, limit: number, cursor?: string): Promise<Page<number>> => {
    const before = decodeCursor(cursor, ['integer'])?.[0] ?? BETS + 1;
    const selection = source
      .getRepository(Bet)
      .createQueryBuilder('b')
      .where('b.account_id = :account AND b.order_id < :before', { account: ACCOUNT, before });
    return filteredPageOf(selection, {
      key: 'b.orderId',
      keyOf: ({ orderId }) => orderId,
      filters: marketId === undefined ? [] : [['b.market_id = :marketId', { marketId }]],
      limit,
      toItem: ({ orderId }) => orderId,
    });
  };
  const walk = async (
    marketId: string | undefined,
    limit: number,
  ): Promise<{ pages: number; items: number[] }> => {
    const items: number[] = [];
    let pages = 0;
    let cursor: string | undefined;
    do {
      const { data, next_cursor }: Page<number> = await page(marketId, limit, cursor);
      items.push(...data);
      cursor = next_cursor ?? undefined;
      pages++;
    } while (cursor !== undefined);
    return { pages, items };
  };

  it('looks at a bounded number of rows for each page, and misses none', async () => {
    expect(await walk('RARE', 50)).toEqual({ pages: 3, items: [6_001, 1] });
    expect(await walk('NONE', 50)).toEqual({ pages: 3, items: [] });
  });

  it('fills its pages where it finds enough', async () => {
    const { data, next_cursor } = await page('MUCH', 3);
    expect(data).toEqual([12_000, 11_999, 11_998]);
    expect((await page('MUCH', 2, next_cursor!)).data).toEqual([11_997, 11_996]);
    const { items } = await walk('MUCH', 200);
    expect(items).toHaveLength(BETS - 2);
    expect(new Set(items).size).toBe(items.length);
  });

  it('needs no bound without a filter', async () => {
    expect(await page(undefined, 2)).toMatchObject({ data: [12_000, 11_999] });
    expect((await walk(undefined, 200)).pages).toBe(BETS / 200);
  });
});
