import type pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { openPool } from '../../../../test/support/pool.js';
import { amountOf } from '../../../domain/money/amount.js';
import type { Page } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import type { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { ReadPool } from '../../../core/reads/read-pool.js';
import type { CoreService } from '../../../core/core.service.js';
import type { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { PointInTime } from '../../../core/reads/point-in-time.js';
import { MomentsService } from '../../accounts/moments/moments.service.js';
import { Clock } from '../../../kit/clock.js';
import { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { OrderFieldsService } from './order-fields.service.js';
import { OrderFillsService } from './order-fills.service.js';
import { OrderHistoryService } from './order-history.service.js';
import type { OrderDto } from './order.dto.js';
import { OrderEntity } from './order.entity.js';
import { TrailingProgressService } from './trailing-progress.service.js';
import { ORDER_IDS, TRADE_IDS } from '../names/ids.js';

const ACCOUNT = 7;
const PRINCIPAL = { accountId: ACCOUNT } as Principal;

const access = {
  accountIdOf: () => Promise.resolve(ACCOUNT),
  accountsOf: () => Promise.resolve([]),
  reaches: () => Promise.resolve(true),
} as unknown as AccountAccessService;

/** Only asked for orders by their client's id, which these tests do not do. */
const core = { projected: () => Promise.resolve() } as unknown as CoreService;
const definition = { marketId: 'M', quoteAsset: 'USD', tickSize: amountOf('1'), lotSize: amountOf('1') };
const fields = new FieldCatalogue([]);
const catalog = { view: () => ({ definition }), fields } as unknown as MarketCatalogService;

describe('order history', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let source: DataSource;
  let history: OrderHistoryService;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
    source = await new DataSource({
      type: 'postgres',
      url: database.url,
      entities: [OrderEntity],
    }).initialize();
    const orders = source.getRepository(OrderEntity);
    const fills = new OrderFillsService(core, pool);
    const moments = new MomentsService(new PointInTime(core, pool, new Clock()));
    const reads = { read: (work) => work(source.manager) } as Pick<ReadPool, 'read'> as ReadPool;
    const trailing = new TrailingProgressService(core, catalog, reads);
    const stored = new OrderFieldsService(fields, source);
    history = new OrderHistoryService(core, access, catalog, fills, stored, trailing, moments, reads, orders);
  });

  afterAll(async () => {
    await source.destroy();
    await pool.end();
    await database.drop();
  });

  /** One order for each id, filled by so many lots. */
  async function store(ids: readonly number[], status: string, filledLots = 0): Promise<void> {
    await pool.query(
      `INSERT INTO orders (account_id, order_id, market_id, side, type, time_in_force, price_ticks, size_lots, filled_lots,
         remaining_lots, filled_notional, fees, fee_rounding, held, post_only, reduce_only, self_trade_prevention, status,
         queue_sequence, book_sequence, created_at, updated_at)
       SELECT $1, id, 'M', 'buy', 'limit', 'GTC', 5, 100, $4::bigint, 100 - $4::bigint, $4::bigint * 5 * 10::numeric ^ 18,
         0, 0, 0, false, false, 'cancel_newest', $3, id, id, now(), now()
       FROM unnest($2::bigint[]) id`,
      [ACCOUNT, ids, status, filledLots],
    );
  }

  /** Trades of one lot in which the account is the maker, for the order. */
  async function trade(firstId: number, count: number, orderId: number): Promise<void> {
    await pool.query(
      `INSERT INTO trades SELECT 'M', id, 5, 1, 'sell', $3, 1, $4, 99, 0, 0, id, now()
       FROM generate_series($1::bigint, $2::bigint) id`,
      [firstId, firstId + count - 1, orderId, ACCOUNT],
    );
  }

  it('finds rare orders in a long history by short pages, none of them slow', async () => {
    const ids = Array.from({ length: 12_000 }, (_, i) => i + 1);
    const rare = [1, 2, 6_000, 11_999];
    await store(
      ids.filter((id) => !rare.includes(id)),
      'cancelled',
    );
    await store(rare, 'expired');

    const found: string[] = [];
    let pages = 0;
    let cursor: string | undefined;
    do {
      const page: Page<OrderDto> = await history.list(PRINCIPAL, {
        limit: 2,
        status: 'expired,rejected',
        ...(cursor !== undefined && { cursor }),
      });
      found.push(...page.data.map((order) => order.order_id));
      cursor = page.next_cursor ?? undefined;
      pages++;
    } while (cursor !== undefined);
    expect(found).toEqual(rare.toReversed().map((id) => ORDER_IDS.format(id)));
    expect(pages).toBe(3);
  });

  it('finds the fills of an order among all that its account traded meanwhile', async () => {
    const order = 20_000;
    await store([order], 'filled', 3);
    await trade(order + 1, 1, order);
    await trade(order + 2, 3_000, 30_000);
    await trade(order + 3_002, 2, order);
    await trade(order + 3_004, 3_000, 30_000);
    const { fills } = await history.get(PRINCIPAL, ORDER_IDS.format(order));
    expect(fills.map((fill) => fill.trade_id)).toEqual(
      [order + 1, order + 3_002, order + 3_003].map((id) => TRADE_IDS.format(id)),
    );
    expect(fills[0]).toMatchObject({ side: 'buy', liquidity: 'maker', price: '5', size: '1' });
  });

  it('shows the first thousand fills of an order that has more', async () => {
    const order = 40_000;
    await store([order], 'filled', 1_500);
    await trade(order + 1, 1_500, order);
    const { fills } = await history.get(PRINCIPAL, ORDER_IDS.format(order));
    expect(fills).toHaveLength(1_000);
    expect(fills[999]!.trade_id).toBe(TRADE_IDS.format(order + 1_000));
  });
});
