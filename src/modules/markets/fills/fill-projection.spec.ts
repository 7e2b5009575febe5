import { Followers } from '../../../core/followers/followers.js';
import fc from 'fast-check';
import pg, { type Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  EVENT,
  limit,
  marketTerms,
  openFloor,
  openTrader,
  SPOT,
  TestCore,
} from '../../../../test/support/core.js';
import { seedFromEnvironment } from '../../../../test/support/domain/property.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { openPool } from '../../../../test/support/pool.js';
import { transfersBetween } from '../../../core/tables/ledger-transfers.js';
import type { CorrectSettlement, SetMarketStatus } from '../../../domain/engine/commands.js';
import type { Side } from '../../../domain/engine/types.js';
import { amountOf } from '../../../domain/money/amount.js';
import { TradedPosition } from '../../../domain/pnl/traded-position.js';
import { FillProjection } from './fill-projection.js';
import { toTotals, type TotalsRow } from './fill-row.js';
import type { FillKind } from './fill.entity.js';

describe('fills', () => {
  let database: TestDatabase;
  let core: TestCore;
  let pool: Pool;
  let traders: number[];
  let projection: FillProjection;
  beforeEach(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    const { ann, bob, cat } = await openFloor(core);
    traders = [ann, bob, cat, await openTrader(core, 'dan')];
    pool = openPool(database.url);
    projection = await follow();
  });
  afterEach(async () => {
    await projection.onModuleDestroy();
    await pool.end();
    await core.stop();
    await database.drop();
  });

  /** A projection that hears of what this core commits. */
  async function follow(): Promise<FillProjection> {
    const started = new FillProjection(core.followed, pool, new Followers());
    await started.onModuleInit();
    return started;
  }

  /** The text of each query that this makes over `pool`. */
  async function queriesOf(work: () => Promise<void>): Promise<string[]> {
    const spy = vi.spyOn(pg.Client.prototype, 'query');
    try {
      await work();
      return spy.mock.calls.map(([query]) => (query as { readonly text?: string }).text ?? query);
    } finally {
      spy.mockRestore();
    }
  }

  async function catchUp(): Promise<void> {
    for (const marketId of [SPOT, EVENT]) await projection.catchUp(marketId);
  }

  /** So many orders at random in both markets; what is refused is part of it. */
  async function trade(orders: number, seed: number): Promise<void> {
    const order = fc.record({
      trader: fc.nat(traders.length - 1),
      isSpot: fc.boolean(),
      isBuy: fc.boolean(),
      price: fc.integer({ min: 31, max: 69 }),
      lots: fc.integer({ min: 1, max: 17 }),
    });
    const [all] = fc.sample(fc.array(order, { minLength: orders, maxLength: orders }), { seed, numRuns: 1 });
    for (let start = 0; start < orders; start += 50) {
      await core.submit(
        all!.slice(start, start + 50).map(({ trader, isSpot, isBuy, price, lots }) =>
          limit(traders[trader]!, isBuy ? 'buy' : 'sell', isSpot ? price * 97 : price, lots, {
            marketId: isSpot ? SPOT : EVENT,
          }),
        ),
      );
    }
  }

  const status = (to: SetMarketStatus['status'], settlementValue: string | null): SetMarketStatus => ({
    type: 'set_market_status',
    marketId: EVENT,
    status: to,
    settlementValue,
  });
  const correct = (settlementValue: string): CorrectSettlement => ({
    type: 'correct_settlement',
    marketId: EVENT,
    settlementValue,
  });

  /** The last fill of every account and market has what the core's own row has, to the last unit. */
  async function expectStoredPositions(): Promise<void> {
    await catchUp();
    const key = 'account_id, market_id';
    const figures = 'size_lots, cost_basis, realized_pnl, fees';
    const stored = await core.query(
      `SELECT ${key}, ${figures} FROM positions
       WHERE (${key}) IN (SELECT maker_account_id, market_id FROM trades UNION SELECT taker_account_id, market_id FROM trades)
       ORDER BY ${key}`,
    );
    const projected = await core.query(
      `SELECT DISTINCT ON (${key}) ${key}, ${figures} FROM fills ORDER BY ${key}, sequence DESC`,
    );
    expect(projected).toEqual(stored);
    expect(projected.length).toBeGreaterThan(1);
  }

  /** What each row says, worked out again from the rows alone, none of them left out. */
  async function expectRecomputed(): Promise<void> {
    const lotSizes = new Map(
      (
        await core.query<{ market_id: string; lot_size: string }>('SELECT market_id, lot_size FROM markets')
      ).map((row) => [row.market_id, BigInt(row.lot_size)]),
    );
    const rows = await core.query<Row>('SELECT * FROM fills ORDER BY account_id, market_id, sequence');
    let position: TradedPosition | undefined;
    rows.forEach((row, i) => {
      const previous = rows[i - 1];
      const isSame = previous?.account_id === row.account_id && previous.market_id === row.market_id;
      if (!isSame) position = TradedPosition.from(lotSizes.get(row.market_id)!);
      const signedLots = row.side === 'sell' ? Number(row.lots) : -Number(row.lots);
      if (row.kind === 'trade') {
        position!.fill({
          sequence: Number(row.sequence),
          side: row.side,
          lots: Number(row.lots),
          price: BigInt(row.price),
          fee: BigInt(row.fee),
        });
      } else if (row.kind === 'settlement') {
        expect(position!.settle(BigInt(row.price))).toBe(signedLots);
      } else position!.correctSettlement(signedLots, BigInt(previous!.price), BigInt(row.price));
      expect(toTotals(row)).toEqual(position!.totals);
    });
  }

  it('add up to the stored positions through trading, settlement and corrections', async () => {
    const seed = seedFromEnvironment();
    console.info(`SEED=${seed}`);
    await trade(400, seed);
    await expectStoredPositions();
    await trade(400, seed + 1);
    await core.run(status('closed', null));
    await core.run(status('settled', '0.37'));
    await expectStoredPositions();
    await core.run(correct('1'));
    await core.run(correct('0.5'));
    await expectStoredPositions();
    await expectRecomputed();

    const [sums] = await core.query(
      `SELECT sum(realized_pnl) AS made, sum(fifo_realized_pnl) AS made_fifo, sum(fees) AS fees FROM (
         SELECT DISTINCT ON (account_id) * FROM fills WHERE market_id = $1 ORDER BY account_id, sequence DESC
       ) AS last`,
      [EVENT],
    );
    const [house] = await core.query(
      `SELECT sum(amount) AS fees FROM (${transfersBetween({ after: '$2::int8', until: '$3::int8' })}) AS transfers
       WHERE reason = 'fee' AND reference IN (SELECT trade_id::text FROM trades WHERE market_id = $1)`,
      [EVENT, 0, Number.MAX_SAFE_INTEGER],
    );
    expect(sums).toEqual({ made: '0', made_fifo: '0', fees: house!.fees });
  });

  it('are taken up where they stopped, by whichever process comes next', async () => {
    const seed = seedFromEnvironment();
    console.info(`SEED=${seed}`);
    for (let i = 0; i < 6; i++) {
      await trade(60, seed + i);
      await projection.onModuleDestroy();
      projection = await follow();
      await expectStoredPositions();
    }
    await expectRecomputed();
  });

  it('are written once, however many processes catch up at a time', async () => {
    await trade(300, seedFromEnvironment());
    const others = [await follow(), await follow()];
    await Promise.all([projection, ...others].flatMap((one) => [one.catchUp(SPOT), one.catchUp(EVENT)]));
    await expectStoredPositions();
    await expectRecomputed();
    const [count] = await core.query(
      'SELECT (SELECT count(*) FROM fills) AS fills, 2 * (SELECT count(*) FROM trades) AS sides',
    );
    expect(count!.fills).toBe(count!.sides);
  });

  it('close the oldest lots of a long queue first, whichever step they were opened in', async () => {
    const [ann, bob] = traders as [number, number];
    const pair = (annsSide: Side, priceTicks: number, lots: number) => [
      limit(bob, annsSide === 'buy' ? 'sell' : 'buy', priceTicks, lots),
      limit(ann, annsSide, priceTicks, lots),
    ];
    const opening = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => pair('buy', 10_000 + from + i, 2)).flat();
    await core.submit([...opening(0, 60), ...pair('sell', 10_100, 3)]);
    await catchUp();
    // More than one step works off at a time, and the queue is read while they are stored already.
    await core.submit([...opening(60, 400), ...pair('sell', 11_000, 50), ...pair('sell', 11_000, 732)]);
    await expectStoredPositions();
    await expectRecomputed();
    // 800 lots were bought and 785 sold, so that the second half of the 393rd fill is the oldest.
    const [head] = await core.query(
      `SELECT f.size_lots, opening.price, f.fifo_head_closed_lots FROM fills f
       JOIN fills opening ON opening.account_id = f.account_id AND opening.market_id = f.market_id
         AND opening.sequence = f.fifo_head_sequence
       WHERE f.account_id = $1 ORDER BY f.sequence DESC LIMIT 1`,
      [ann],
    );
    expect(head).toEqual({
      size_lots: '15',
      price: `${10_392n * 10n ** 16n}`,
      fifo_head_closed_lots: '1',
    });
  });

  it('read no opening fills where none of them is closed', async () => {
    const [ann, bob] = traders as [number, number];
    const sell = (lots: number) => [limit(ann, 'buy', 10_000, lots), limit(bob, 'sell', 10_000, lots)];
    await core.submit(Array.from({ length: 40 }, () => sell(2)).flat());
    await catchUp();
    await projection.onModuleDestroy();
    projection = await follow();
    await core.submit(Array.from({ length: 40 }, () => sell(2)).flat());
    const queries = await queriesOf(() => catchUp());
    expect(queries.filter((text) => text.includes('opened_lots > 0'))).toEqual([]);
    await expectStoredPositions();
  });

  it('read no position again, however many markets take turns', async () => {
    const [ann, bob] = traders as [number, number];
    const markets = Array.from({ length: 7 }, (_, i) => `MARKET-${i}`);
    for (const marketId of markets) await core.run(marketTerms({ marketId, kind: 'event' }));
    const round = async (): Promise<string[]> => {
      for (const marketId of markets) {
        await core.submit([
          limit(bob, 'sell', 50, 2, { marketId }),
          limit(ann, 'buy', 50, 2, { marketId }),
          limit(bob, 'buy', 40, 1, { marketId }),
          limit(ann, 'sell', 40, 1, { marketId }),
        ]);
      }
      return queriesOf(async () => {
        for (const marketId of markets) await projection.catchUp(marketId);
      });
    };
    await round();
    const queries = await round();
    expect(queries.filter((text) => text.includes('INSERT INTO fills'))).not.toEqual([]);
    expect(queries.filter((text) => text.includes('FROM fills'))).toEqual([]);
    await expectRecomputed();
  });

  it('settle more holders than are read at a time', async () => {
    const holders = 4_500;
    await pool.query(
      `INSERT INTO trades
       SELECT $1, 1000000 + id, 40, 3, 'buy', 1, 2, 900000, 1000000 + id, 0, 7, id, now()
       FROM generate_series(1, ${holders}) id`,
      [EVENT],
    );
    await pool.query(
      `INSERT INTO positions
       SELECT taker_account_id, market_id, 0, 0, 0, 7, 3 FROM trades WHERE market_id = $1
       UNION ALL SELECT 900000, $1, 0, 0, 0, 0, ${-3 * holders}`,
      [EVENT],
    );
    await pool.query('INSERT INTO settlements VALUES ($1, 2000000, $2, now()), ($1, 2000001, 0, now())', [
      EVENT,
      `${10n ** 18n}`,
    ]);
    await projection.catchUp(EVENT);
    const rows = await core.query(
      `SELECT kind, count(*)::int AS fills, sum(realized_pnl) AS made, sum(abs(realized_pnl)) AS turned, sum(size_lots) AS open
       FROM fills WHERE market_id = $1 GROUP BY kind ORDER BY kind`,
      [EVENT],
    );
    const made = (perHolder: string) => `${2n * BigInt(holders) * amountOf(perHolder)}`;
    expect(rows).toEqual([
      { kind: 'correction', fills: holders + 1, made: '0', turned: made('1.2'), open: '0' },
      { kind: 'settlement', fills: holders + 1, made: '0', turned: made('1.8'), open: '0' },
      { kind: 'trade', fills: 2 * holders, made: '0', turned: '0', open: expect.any(String) },
    ]);
  });
});

interface Row extends TotalsRow {
  readonly account_id: string;
  readonly market_id: string;
  readonly sequence: string;
  readonly kind: FillKind;
  readonly side: Side;
  readonly lots: string;
  readonly price: string;
  readonly fee: string;
}
