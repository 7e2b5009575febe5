import type pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { openPool } from '../../../../test/support/pool.js';
import { amountOf } from '../../../domain/money/amount.js';
import { BalanceEntity } from '../holdings/balance.entity.js';
import type { CoreService } from '../../../core/core.service.js';
import type { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { TradeEntity } from '../market-data/trade.entity.js';
import { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { OrderFieldsService } from '../orders/order-fields.service.js';
import { OrderEntity } from '../orders/order.entity.js';
import { AccountChangeEntity } from './account-change.entity.js';
import { type AccountPage, type AccountCursor, AccountReader } from './account-reader.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';
import { ORDER_IDS, TRADE_IDS } from '../names/ids.js';

const ACCOUNT = 7;
const OTHER = 8;
const definition = { marketId: 'M', quoteAsset: 'USD', tickSize: amountOf('1'), lotSize: amountOf('1') };
const fields = new FieldCatalogue([]);
const catalog = { view: () => ({ definition }), fields } as unknown as MarketCatalogService;

const core = { projected: () => Promise.resolve() } as unknown as CoreService;

describe('what a client of an account lacks', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let source: DataSource;
  let reader: AccountReader;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
    source = await new DataSource({
      type: 'postgres',
      url: database.url,
      entities: [OrderEntity, TradeEntity, BalanceEntity, AccountChangeEntity],
    }).initialize();
    reader = new AccountReader(core, source, catalog, new OrderFieldsService(fields, source));
  });
  beforeEach(() => pool.query('TRUNCATE orders, trades, balances, account_changes'));
  afterAll(async () => {
    await source.destroy();
    await pool.end();
    await database.drop();
  });

  async function storeOrders(first: number, count: number, status: string): Promise<void> {
    await pool.query(
      `INSERT INTO orders (account_id, order_id, market_id, side, type, time_in_force, price_ticks, size_lots, filled_lots,
         remaining_lots, filled_notional, fees, fee_rounding, held, post_only, reduce_only, self_trade_prevention, status,
         queue_sequence, book_sequence, created_at, updated_at)
       SELECT ${ACCOUNT}, id, 'M', 'buy', 'limit', 'GTC', 1, 1, 0, 1, 0, 0, 0, 0, false, false, 'cancel_newest', $3, id, 1,
         now(), now()
       FROM generate_series($1::int8, $1::int8 + $2::int8 - 1) AS id`,
      [first, count, status],
    );
  }

  /** So many commits, each of which changed one order and took ten places in the ledger. */
  async function storeChanges(count: number): Promise<void> {
    await pool.query(
      `INSERT INTO account_changes (account_id, sequence, ledger_sequence, order_ids)
       SELECT ${ACCOUNT}, n, n * 10, n::text FROM generate_series(1, $1::int8) AS n`,
      [count],
    );
  }

  async function storeTrade(tradeId: number, makerAccountId: number, takerAccountId: number): Promise<void> {
    await pool.query(
      `INSERT INTO trades (market_id, trade_id, price_ticks, size_lots, taker_side, maker_order_id, taker_order_id,
         maker_account_id, taker_account_id, maker_fee, taker_fee, book_sequence, executed_at)
       VALUES ('M', $1, 1, 1, 'buy', 1, 2, $2, $3, 0, 0, 1, now())`,
      [tradeId, makerAccountId, takerAccountId],
    );
  }

  /** Reads until nothing is missing. */
  async function readAll(offset: number | undefined): Promise<AccountPage[]> {
    const pages: AccountPage[] = [];
    let cursor: AccountCursor = { sequence: offset };
    do {
      pages.push(await reader.next(ACCOUNT, cursor));
      ({ cursor } = pages.at(-1)!);
    } while (!pages.at(-1)!.isUpToDate);
    return pages;
  }

  it('is a snapshot of live orders and balances for who has nothing', async () => {
    await storeOrders(1, 2, 'open');
    await storeOrders(3, 1, 'cancelled');
    await storeChanges(3);
    await pool.query(`INSERT INTO balances VALUES (${ACCOUNT}, 'USD', 5, 0), (${OTHER}, 'USD', 1, 0)`);
    const [page, ...more] = await readAll(undefined);
    expect(more).toEqual([]);
    expect(page).toMatchObject({
      event: {
        type: 'account.snapshot',
        account_id: ACCOUNT_IDS.format(ACCOUNT),
        sequence: 3,
        data: {
          reason: 'subscribed',
          is_last: true,
          orders: [{ order_id: ORDER_IDS.format(1) }, { order_id: ORDER_IDS.format(2) }],
          balances: [{ asset: 'USD', total: '0.000000000000000005' }],
        },
      },
      cursor: { sequence: 3 },
    });
  });

  it('comes in parts where many orders are live; only the last has the sequence, and then what has changed since', async () => {
    await storeOrders(1, 1_100, 'open');
    await storeChanges(1_100);
    const first = await reader.next(ACCOUNT, { sequence: undefined });
    await pool.query(`UPDATE orders SET status = 'cancelled' WHERE order_id = 900`);
    await pool.query(`INSERT INTO account_changes VALUES (${ACCOUNT}, 1101, 11010, '900')`);
    const second = await reader.next(ACCOUNT, first.cursor);
    const third = await reader.next(ACCOUNT, second.cursor);
    const rest = await reader.next(ACCOUNT, third.cursor);
    const parts = [first, second, third].map(({ event, isUpToDate }) => [
      event!.sequence,
      event!.data.orders.length,
      'is_last' in event!.data && event!.data.is_last,
      isUpToDate,
    ]);
    expect(parts).toEqual([
      [undefined, 500, false, false],
      [undefined, 500, false, false],
      [1_100, 99, true, false],
    ]);
    expect(rest).toMatchObject({
      event: {
        type: 'account.update',
        sequence: 1_101,
        data: {
          previous_sequence: 1_100,
          orders: [{ order_id: ORDER_IDS.format(900), status: 'cancelled' }],
        },
      },
      isUpToDate: true,
    });
  });

  it('is every fill since, on either side, once, and each order as it is now', async () => {
    await storeOrders(1, 500, 'filled');
    await storeChanges(500);
    // Of the first two changes, which the client has; of the third; of the last; of nobody's.
    for (const tradeId of [5, 20]) await storeTrade(tradeId, ACCOUNT, OTHER);
    await storeTrade(21, ACCOUNT, OTHER);
    await storeTrade(30, OTHER, ACCOUNT);
    await storeTrade(5_000, OTHER, ACCOUNT);
    await storeTrade(4_000, OTHER, OTHER);
    const pages = await readAll(2);
    expect(pages.map(({ event }) => event!.sequence)).toEqual([202, 402, 500]);
    const data = pages.map(({ event }) => event!.data);
    const updates = data.filter((each) => 'fills' in each);
    expect(updates.map(({ previous_sequence }) => previous_sequence)).toEqual([2, 202, 402]);
    expect(updates.flatMap(({ fills }) => fills.map(({ trade_id }) => trade_id))).toEqual(
      [21, 30, 5_000].map((tradeId) => TRADE_IDS.format(tradeId)),
    );
    expect(updates.flatMap(({ orders }) => orders)).toHaveLength(498);
  });

  it.each([
    ['nothing, for who has it all', 30, null],
    ['everything, for who asks from the beginning', 0, 'account.update'],
  ])('is %s', async (_what, offset, type) => {
    await storeChanges(30);
    const [page] = await readAll(offset);
    expect(page!.event?.type ?? null).toBe(type);
    expect(page).toMatchObject({ cursor: { sequence: 30 }, isUpToDate: true });
  });

  it.each([
    ['more has changed than is told', 0, 'too_far_behind'],
    ['the account has never been there', 10_002, 'unknown_offset'],
  ])('is a snapshot that says so where %s', async (_what, offset, reason) => {
    await storeChanges(10_001);
    const [page] = await readAll(offset);
    expect(page!.event).toMatchObject({ type: 'account.snapshot', sequence: 10_001, data: { reason } });
  });

  it('is an empty snapshot of an account in which nothing has ever happened', async () => {
    const [page] = await readAll(undefined);
    expect(page!.event).toMatchObject({ sequence: 0, data: { orders: [], balances: [], is_last: true } });
  });

  it('is found by indexes alone', async () => {
    await storeChanges(2_000);
    await pool.query('ANALYZE account_changes, trades');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT * FROM account_changes WHERE account_id = ${ACCOUNT} AND sequence >= 1900 ORDER BY sequence LIMIT 201`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using account_changes_pkey/);
  });
});
