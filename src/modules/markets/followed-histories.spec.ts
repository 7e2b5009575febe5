import fc from 'fast-check';
import type { Pool, PoolClient } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limit, openFloor, openTrader, SPOT, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { event } from '../../../test/support/domain/markets.js';
import { seedFromEnvironment } from '../../../test/support/domain/property.js';
import { openPool } from '../../../test/support/pool.js';
import { Followers } from '../../core/followers/followers.js';
import type { CoreService } from '../../core/core.service.js';
import type { CommittedBatch } from '../../core/core.types.js';
import { inTransaction } from '../../kit/database/transaction.js';
import { FILLS_CURSOR, FillFold } from './fills/fill-fold.js';
import { FillProjection } from './fills/fill-projection.js';
import { CANDLE_FOLD, CANDLES_CURSOR } from './market-data/candle-fold.js';
import { CandleProjection } from './market-data/candle-projection.js';
import { remake } from './market-data/market-fold.js';

const GROUP = 'WINNER';
const GROUPED = ['RED', 'GREEN', 'BLUE'];
const MARKETS = [SPOT, ...GROUPED];
const TABLES = ['fills', 'fill_days', 'candles'];

/** What a process hears of the core, and whether it leads. */
class Process {
  leads: boolean;
  /** How many of those who listen do not hear the next commit. */
  missed = 0;

  constructor(
    private readonly core: TestCore,
    leads: boolean,
  ) {
    this.leads = leads;
  }

  onCommitted(listener: (batch: CommittedBatch) => void): () => void {
    return this.core.sequencer.onCommitted((batch) => {
      if (this.missed > 0) this.missed--;
      else listener(batch);
    });
  }

  async projected(): Promise<void> {
    await this.core.sequencer.freshTerm().projected();
  }
}

/** Fails one statement, and leaves the pool's connection as it is. */
class FailingPool {
  private failing: string | null = null;
  private isDone = false;

  constructor(private readonly pool: Pool) {}

  /** The next statement with this text fails; `isDone` if the database has done it nevertheless. */
  failAt(text: string, isDone: boolean): void {
    this.failing = text;
    this.isDone = isDone;
  }

  async connect(): Promise<PoolClient> {
    const client = await this.pool.connect();
    const query = async (text: string, values?: unknown[]): Promise<unknown> => {
      if (this.failing === null || !text.includes(this.failing)) return client.query(text, values);
      this.failing = null;
      if (this.isDone) await client.query(text, values);
      throw new Error('the connection was lost');
    };
    return { query, release: () => client.release() } as unknown as PoolClient;
  }
}

const order = fc.record({
  trader: fc.nat(3),
  market: fc.nat(MARKETS.length - 1),
  isBuy: fc.boolean(),
  price: fc.integer({ min: 31, max: 69 }),
  lots: fc.integer({ min: 1, max: 17 }),
});
const happening = fc.oneof(
  { weight: 8, arbitrary: fc.record({ orders: fc.array(order, { minLength: 1, maxLength: 25 }) }) },
  { weight: 2, arbitrary: fc.record({ sets: fc.nat(3), lots: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ read: fc.nat(MARKETS.length - 1), isOther: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ waitMs: fc.integer({ min: 1, max: 60 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      failAt: fc.constantFrom('INSERT INTO fills', 'INSERT INTO candles', 'UPDATE journal_cursors', 'COMMIT'),
      isDone: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.constant('commits are missed') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('another leads', 'it leads again', 'it leads again', 'it begins anew'),
  },
);
type Happening = (typeof happening extends fc.Arbitrary<infer T> ? T : never) & object;

describe('what is made of commits as they are heard', () => {
  let database: TestDatabase;
  let core: TestCore;
  let pool: Pool;
  let traders: number[];
  beforeEach(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    const { ann, bob, cat } = await openFloor(core);
    traders = [ann, bob, cat, await openTrader(core, 'dan')];
    pool = openPool(database.url);
    for (const marketId of GROUPED) await core.run(event({ marketId }));
    await core.run({ type: 'create_event_group', groupId: GROUP, title: 'Who wins', marketIds: GROUPED });
  });
  afterEach(async () => {
    await pool.end();
    await core.stop();
    await database.drop();
  });

  async function follow(process: Process, through: Pool): Promise<(CandleProjection | FillProjection)[]> {
    const projections = [FillProjection, CandleProjection].map(
      (Projection) => new Projection(process as unknown as CoreService, through, new Followers()),
    );
    for (const projection of projections) await projection.onModuleInit();
    return projections;
  }

  async function stop(projections: readonly (CandleProjection | FillProjection)[]): Promise<void> {
    await Promise.all(projections.map((projection) => projection.onModuleDestroy()));
  }

  const rowsOf = async (client: Pool | PoolClient): Promise<unknown[][]> => {
    const all: unknown[][] = [];
    for (const table of TABLES) all.push((await client.query(`SELECT t FROM ${table} t ORDER BY t`)).rows);
    return all;
  };

  /** The tables as they are made at once from everything that is stored. */
  async function remade(): Promise<unknown[][]> {
    let rows: unknown[][] = [];
    const undone = new Error('undone');
    await inTransaction(pool, async (client) => {
      for (const table of TABLES) await client.query(`DELETE FROM ${table}`);
      await client.query(
        `DELETE FROM journal_cursors WHERE starts_with(name, '${FILLS_CURSOR}') OR starts_with(name, '${CANDLES_CURSOR}')`,
      );
      const fills = new FillFold();
      for (const marketId of MARKETS) {
        await remake(client, fills, marketId, Number.MAX_SAFE_INTEGER);
        await remake(client, CANDLE_FOLD, marketId, Number.MAX_SAFE_INTEGER);
      }
      rows = await rowsOf(client);
      throw undone;
    }).catch((error: unknown) => {
      if (error !== undone) throw error;
    });
    return rows;
  }

  it('equals what is made of the tables, whatever fails, is missed, settled, or read elsewhere', async () => {
    const seed = seedFromEnvironment();
    console.info(`SEED=${seed}`);
    const [happenings] = fc.sample(fc.array(happening, { minLength: 250, maxLength: 250 }), {
      seed,
      numRuns: 1,
    });
    const process = new Process(core, true);
    const failing = new FailingPool(pool);
    let own = await follow(process, failing as unknown as Pool);
    const others = await follow(new Process(core, false), pool);

    const happen = async (what: Happening | string): Promise<void> => {
      if (typeof what === 'string') {
        if (what === 'commits are missed') process.missed = own.length;
        else if (what !== 'it begins anew') process.leads = what === 'it leads again';
        else {
          await stop(own);
          own = await follow(process, failing as unknown as Pool);
        }
      } else if ('orders' in what) {
        await core.submit(
          what.orders.map(({ trader, market, isBuy, price, lots }) =>
            limit(traders[trader]!, isBuy ? 'buy' : 'sell', market === 0 ? price * 97 : price, lots, {
              marketId: MARKETS[market]!,
            }),
          ),
        );
      } else if ('sets' in what) {
        const command = { groupId: GROUP, accountId: traders[what.sets]!, sizeLots: what.lots };
        await core.submit([{ type: 'split_event_group', ...command }]);
      } else if ('read' in what) {
        const readers = what.isOther ? others : own;
        // Whoever meets the fault asks again.
        await Promise.allSettled(readers.map((projection) => projection.catchUp(MARKETS[what.read]!)));
      } else if ('waitMs' in what) await new Promise((resolve) => setTimeout(resolve, what.waitMs));
      else failing.failAt(what.failAt, what.isDone);
    };
    for (const what of happenings!) await happen(what);

    for (const marketId of GROUPED) {
      await core.run({ type: 'set_market_status', marketId, status: 'closed', settlementValue: null });
    }
    await core.run({ type: 'settle_event_group', groupId: GROUP, winningMarketId: 'RED' });
    await Promise.allSettled(own.map((projection) => projection.catchUp('RED')));
    await core.run({ type: 'correct_event_group', groupId: GROUP, winningMarketId: 'BLUE' });
    process.leads = true;
    failing.failAt('nothing', false);
    await happen({ orders: [{ trader: 0, market: 0, isBuy: true, price: 50, lots: 1 }] });
    for (const projection of own) for (const marketId of MARKETS) await projection.catchUp(marketId);

    const stored = await rowsOf(pool);
    expect(stored).toEqual(await remade());
    expect(stored.map((rows) => rows.length > 0)).toEqual(TABLES.map(() => true));
    const [last] = await core.query<{ differing: number; positions: number }>(
      `SELECT count(*) FILTER (WHERE (p.size_lots, p.cost_basis, p.realized_pnl, p.fees) IS DISTINCT FROM
         (f.size_lots, f.cost_basis, f.realized_pnl, f.fees))::int AS differing, count(*)::int AS positions
       FROM positions p JOIN LATERAL (
         SELECT * FROM fills WHERE account_id = p.account_id AND market_id = p.market_id ORDER BY sequence DESC LIMIT 1
       ) AS f ON true`,
    );
    expect(last).toMatchObject({ differing: 0 });
    expect(last!.positions).toBeGreaterThan(8);
    await stop(own);
    await stop(others);
  });

  it('reads no trade from the tables while one process leads', async () => {
    const process = new Process(core, true);
    const queries: string[] = [];
    const watched = {
      connect: async () => {
        const client = await pool.connect();
        return {
          query: (text: string, values?: unknown[]) => {
            queries.push(text);
            return client.query(text, values);
          },
          release: () => client.release(),
        };
      },
    } as unknown as Pool;
    const own = await follow(process, watched);
    const trade = async (): Promise<void> => {
      const [ann, bob] = traders as [number, number];
      await core.submit([limit(ann, 'buy', 5_000, 2), limit(bob, 'sell', 5_000, 2)]);
    };
    await trade();
    for (const projection of own) await projection.catchUp(SPOT);
    queries.length = 0;
    for (let round = 0; round < 3; round++) {
      await trade();
      await Promise.all(own.map((projection) => projection.catchUp(SPOT)));
    }
    expect(queries.filter((text) => text.includes('INSERT INTO'))).toHaveLength(6);
    expect(queries.filter((text) => /FROM (?:trades|set_legs|settlements|fills)/.test(text))).toEqual([]);
    await stop(own);
  });
});
