import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { marketTerms, TestCore } from '../../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { openPool } from '../../../../test/support/pool.js';
import type { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { Followers } from '../../../core/followers/followers.js';
import type { CoreService } from '../../../core/core.service.js';
import { PointInTime } from '../../../core/journal/point-in-time.js';
import { amountOf, formatAmount } from '../../../domain/money/amount.js';
import { COST_METHODS } from '../../../domain/pnl/traded-position.js';
import type { Principal } from '../../../kit/security/principal.js';
import type { MarketCatalogService } from '../../markets/market-data/market-catalog.service.js';
import { FillProjection } from '../../markets/fills/fill-projection.js';
import { MomentsService } from '../../accounts/moments/moments.service.js';
import { PnlQueryDto } from './pnl.dto.js';
import { PnlService } from './pnl.service.js';
import { PositionHistoryService } from '../../markets/fills/position-history.service.js';
import { Clock } from '../../../kit/clock.js';

const MARKET = 'GROWTH';
const MANY = 20_000;
const FEW = 10;
const OTHER_SIDE = 900_000;
const MANY_FILLS = 900_001;
const FEW_FILLS = 900_002;
const DAY_MS = 24 * 60 * 60 * 1_000;
const START_MS = Date.UTC(2026, 5, 1, 12);

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

/** A pool that counts what its queries read: rows that plans pass on, and pages. */
class MeasuredPool {
  rows = 0;
  pages = 0;

  constructor(private readonly pool: Pool) {}

  async query(text: string, values: unknown[] = []): Promise<unknown> {
    const { rows } = await this.pool.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}`,
      values,
    );
    const plan = rows[0]!['QUERY PLAN'][0].Plan;
    this.pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    this.rows += rowsIn(plan);
    return this.pool.query(text, values);
  }
}

function rowsIn(plan: Plan): number {
  const below = (plan.Plans ?? []).reduce((sum, part) => sum + rowsIn(part), 0);
  return plan['Actual Rows'] * plan['Actual Loops'] + below;
}

describe('the P&L of a long history', () => {
  let database: TestDatabase;
  let core: TestCore;
  let pool: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    await core.run({ type: 'create_asset', code: 'USD', scale: 2 });
    await core.run({ type: 'create_asset', code: 'BTC', scale: 8 });
    await core.run(marketTerms({ marketId: MARKET, kind: 'spot' }));
    pool = openPool(database.url);
    // Two accounts over the same two days: one with a trade now and then, the other with many in between.
    await pool.query(
      `INSERT INTO trades
       SELECT $1, id, 10000 + id % 100, 1 + id % 3, CASE WHEN id % 5 < 3 THEN 'buy' ELSE 'sell' END, 1, 2, $2::bigint,
         CASE WHEN id % ${MANY / FEW} = 0 THEN $3::bigint ELSE $4::bigint END,
         0, 1, id, $5::timestamptz + (id + 9) / 10 * interval '60 s'
       FROM generate_series(1, ${MANY + FEW}) id`,
      [MARKET, OTHER_SIDE, FEW_FILLS, MANY_FILLS, new Date(START_MS)],
    );
    for (const account of [OTHER_SIDE, FEW_FILLS, MANY_FILLS]) {
      await pool.query('INSERT INTO positions VALUES ($1, $2, 0, 0, 0, 0, 0)', [account, MARKET]);
    }
    // A commit a minute, of the ten trades in it.
    await pool.query('DELETE FROM journal');
    await pool.query(
      `INSERT INTO journal
       SELECT 10 * id, 10 * id - 9, 1, 1, $1::timestamptz + id * interval '60 s', '[]', '', '', ''
       FROM generate_series(1, ${(MANY + FEW) / 10}) id`,
      [new Date(START_MS)],
    );
    await pool.query('UPDATE core_leader SET last_sequence = $1', [MANY + FEW]);
    await pool.query('UPDATE core_projection SET sequence = $1', [MANY + FEW]);
    await pool.query('ANALYZE trades, positions, journal');
    const { projection } = servicesOver(pool);
    for (let isDone = false; !isDone;) {
      isDone = await projection.catchUp(MARKET).then(
        () => true,
        () => false,
      );
    }
    await pool.query('VACUUM ANALYZE fills, fill_days');
  });
  afterAll(async () => {
    await pool.end();
    await core.stop();
    await database.drop();
  });

  function servicesOver(measured: Pool) {
    const { view } = core.sequencer.freshTerm();
    const live = {
      book: (marketId: string, depth: number) => view.book(marketId, depth),
      onCommitted: () => () => undefined,
      projected: () => core.sequencer.freshTerm().projected(),
    } as unknown as CoreService;
    const catalog = { view: (marketId: string) => view.market(marketId) } as MarketCatalogService;
    const access = {
      accountIdOf: (_principal: Principal, account: string) => Promise.resolve(Number(account)),
    } as unknown as AccountAccessService;
    const projection = new FillProjection(live, pool, new Followers());
    const history = new PositionHistoryService(live, catalog, projection, measured);
    const moments = new MomentsService(new PointInTime(live, measured, new Clock()));
    return { projection, pnl: new PnlService(access, moments, history, measured) };
  }

  it.each([
    ['by market', {}],
    ['first in, first out', { method: 'fifo' }],
    [
      'of a period',
      { from: new Date(START_MS + DAY_MS / 2).toISOString(), to: new Date(START_MS + DAY_MS).toISOString() },
    ],
    ['by day', { group_by: 'day' }],
  ] as const)('reads no more than that of a short one: %s', async (_what, query) => {
    const read = async (account: number) => {
      const measured = new MeasuredPool(pool);
      const { pnl } = servicesOver(measured as unknown as Pool);
      const answer = await pnl.of({} as Principal, String(account), Object.assign(new PnlQueryDto(), query));
      expect(answer.groups.length).toBeGreaterThan(0);
      expect(answer.fees).not.toBe('0');
      return measured;
    };
    await read(MANY_FILLS);
    const [few, many] = [await read(FEW_FILLS), await read(MANY_FILLS)];
    expect(many.rows).toBe(few.rows);
    // A key may happen to be at the edge of a page; one of another account as well.
    expect(Math.abs(many.pages - few.pages)).toBeLessThanOrEqual(4);
    expect(many.pages).toBeLessThan(400);
  });

  it.each([FEW_FILLS, MANY_FILLS])('adds up day by day: account %i', async (account) => {
    const { pnl } = servicesOver(pool);
    const ask = (query: Partial<PnlQueryDto>) =>
      pnl.of({} as Principal, String(account), Object.assign(new PnlQueryDto(), query));
    const midnight = new Date(START_MS + DAY_MS / 2).toISOString();
    for (const method of COST_METHODS) {
      const { groups, realized_pnl, fees } = await ask({ group_by: 'day', method });
      expect(groups.map(({ day }) => day)).toEqual(['2026-06-02', '2026-06-01']);
      const sum = (field: 'realized_pnl' | 'fees') =>
        formatAmount(groups.reduce((total, group) => total + amountOf(group[field]), 0n));
      expect(sum('realized_pnl')).toBe(realized_pnl);
      expect(sum('fees')).toBe(fees);

      const [first] = (await ask({ to: midnight, method })).groups;
      expect(groups[1]).toEqual({
        ...first,
        day: '2026-06-01',
        fills: first!.fills.replace('&', `&from=${encodeURIComponent('2026-06-01T00:00:00.000Z')}&`),
      });
      // The last trade before midnight, whoever made it.
      expect(groups[1]!.mark).toEqual({ price: '100.9', source: 'last_price' });
      const [onlyFirst] = (await ask({ to: midnight, group_by: 'day', method })).groups;
      expect(onlyFirst).toEqual(groups[1]);
      expect((await ask({ from: midnight, group_by: 'day', method })).groups).toEqual([groups[0]]);
    }
  });
});
