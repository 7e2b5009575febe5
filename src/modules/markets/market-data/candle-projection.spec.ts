import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { eventually } from '../../../../test/support/eventually.js';
import { openPool } from '../../../../test/support/pool.js';
import { Followers } from '../../../core/followers/followers.js';
import type { CoreService } from '../../../core/core.service.js';
import type { CommittedBatch, MarketView } from '../../../core/core.types.js';
import type { Trade } from '../../../domain/engine/types.js';
import { CandleProjection } from './candle-projection.js';
import { TickerService } from './ticker.service.js';

const START = new Date(Date.now() - 10 * 60_000);

/** Stands for the core: tells whoever listens what has been committed. */
class Commits {
  private readonly listeners = new Set<(batch: CommittedBatch) => void>();
  private lastSequence = 0;
  leads = true;

  /** These tests write the tables themselves. */
  projected(): Promise<void> {
    return Promise.resolve();
  }

  onCommitted(listener: (batch: CommittedBatch) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** `missed` says how many sequences nobody was told of before. */
  publish(trades: readonly Trade[], missed = 0): void {
    const firstSequence = this.lastSequence + missed + 1;
    this.lastSequence = firstSequence + trades.length - 1;
    const batch = { trades, firstSequence, lastSequence: this.lastSequence };
    for (const listener of this.listeners) listener(batch as unknown as CommittedBatch);
  }
}

describe('candles and tickers', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let nextTradeId = 1;
  const projections: CandleProjection[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
  });

  afterAll(async () => {
    for (const projection of projections) await projection.onModuleDestroy();
    await pool.end();
    await database.drop();
  });

  /** Trades of one lot, one a millisecond, at prices 1, 2, 3, …; returns them as the core would tell them. */
  async function trade(marketId: string, count: number): Promise<Trade[]> {
    const firstId = nextTradeId;
    nextTradeId += count;
    await pool.query(
      `INSERT INTO trades
       SELECT $1, id, id - $2 + 1, 1, 'buy', 1, 2, 3, 4, 0, 0, id, $4::timestamptz + id * interval '1 ms'
       FROM generate_series($2::bigint, $3::bigint) id`,
      [marketId, firstId, nextTradeId - 1, START],
    );
    return Array.from({ length: count }, (_, i) => ({
      marketId,
      tradeId: firstId + i,
      priceTicks: i + 1,
      sizeLots: 1,
      executedAtMs: START.getTime() + firstId + i,
    })) as unknown as Trade[];
  }

  async function projectionOver(commits: Commits, followers = new Followers()): Promise<CandleProjection> {
    const projection = new CandleProjection(commits as unknown as CoreService, pool, followers);
    await projection.onModuleInit();
    projections.push(projection);
    return projection;
  }

  async function volumeOf(marketId: string, seconds = 86_400): Promise<number> {
    const { rows } = await pool.query<{ volume: string }>(
      'SELECT coalesce(sum(volume_lots), 0) AS volume FROM candles WHERE market_id = $1 AND interval_seconds = $2',
      [marketId, seconds],
    );
    return Number(rows[0]!.volume);
  }

  it('takes up where it stopped, over several steps', async () => {
    await trade('STEPS', 12_000);
    await (await projectionOver(new Commits())).catchUp('STEPS');
    for (const seconds of [60, 300, 900, 3_600, 14_400, 86_400])
      expect(await volumeOf('STEPS', seconds)).toBe(12_000);
    const { rows } = await pool.query(
      `SELECT open_ticks, close_ticks, high_ticks, low_ticks FROM candles
       WHERE market_id = 'STEPS' AND interval_seconds = 86400 ORDER BY start`,
    );
    expect(rows[0]).toMatchObject({ open_ticks: '1', low_ticks: '1' });
    expect(rows.at(-1)).toMatchObject({ close_ticks: '12000', high_ticks: '12000' });

    // Another process, which saw none of that, adds what is new and nothing else.
    await trade('STEPS', 10);
    await (await projectionOver(new Commits())).catchUp('STEPS');
    expect(await volumeOf('STEPS')).toBe(12_010);
  });

  it('counts each trade once where several processes catch up at a time', async () => {
    await trade('RACE', 7_000);
    const racing = [
      await projectionOver(new Commits()),
      await projectionOver(new Commits()),
      await projectionOver(new Commits()),
    ];
    await Promise.all(
      racing.flatMap((projection) => [projection.catchUp('RACE'), projection.catchUp('RACE')]),
    );
    expect(await volumeOf('RACE')).toBe(7_000);
  });

  it('asks the database only where something is new', async () => {
    const commits = new Commits();
    const projection = await projectionOver(commits);
    commits.publish([]);
    await projection.catchUp('QUIET');
    // Not told of by the core, so not committed as far as this process knows.
    const trades = await trade('QUIET', 3);
    await projection.catchUp('QUIET');
    expect(await volumeOf('QUIET')).toBe(0);
    commits.publish(trades);
    await projection.catchUp('QUIET');
    expect(await volumeOf('QUIET')).toBe(3);
  });

  it('gathers what comes during a step for the next one', async () => {
    const commits = new Commits();
    const projection = await projectionOver(commits);
    commits.publish([]);
    await projection.catchUp('GATHERED');
    const stepping = vi.spyOn(commits, 'projected');
    const beganMs = performance.now();
    let tradeCount = 0;
    for (; performance.now() - beganMs < 700; tradeCount++) commits.publish(await trade('GATHERED', 1));
    await eventually(async () => expect(await volumeOf('GATHERED')).toBe(tradeCount));
    const steps = stepping.mock.calls.length;
    // Five a second, and one more for the end.
    expect(steps).toBeLessThanOrEqual((performance.now() - beganMs) / 200 + 1);
    expect(tradeCount).toBeGreaterThan(steps);
  });

  it('looks again where commits were not told', async () => {
    const commits = new Commits();
    const projection = await projectionOver(commits);
    const ticker = new TickerService(commits as unknown as CoreService, projection, pool);
    ticker.onModuleInit();
    commits.publish(await trade('MISSED', 1));
    const market = { definition: { marketId: 'MISSED' } } as MarketView;
    expect((await ticker.dayOf(market, Date.now())).volumeLots).toBe(1n);

    await trade('MISSED', 4);
    commits.publish(await trade('MISSED', 2), 4);
    await projection.catchUp('MISSED');
    expect(await volumeOf('MISSED')).toBe(7);
    expect((await ticker.dayOf(market, Date.now())).volumeLots).toBe(7n);
  });

  it('looks again once it hears of commits, whatever it read as a standby', async () => {
    const commits = new Commits();
    const projection = await projectionOver(commits);
    await trade('STANDBY', 1);
    await projection.catchUp('STANDBY');
    await trade('STANDBY', 4);
    commits.publish([]);
    await projection.catchUp('STANDBY');
    expect(await volumeOf('STANDBY')).toBe(5);
  });

  it('takes up by itself what it hears, and leaves that to others while it does not lead', async () => {
    const commits = new Commits();
    const followers = new Followers();
    await projectionOver(commits, followers);
    commits.leads = false;
    commits.publish(await trade('BUSY', 3));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await volumeOf('BUSY')).toBe(0);
    commits.leads = true;
    commits.publish(await trade('BUSY', 4));
    await eventually(async () => expect(await volumeOf('BUSY')).toBe(7));
    await eventually(() => expect(followers.lags).toEqual([{ name: 'candles', lagMs: 0 }]));
  });

  it('reads what it heard from the tables where that is more than it keeps', async () => {
    const commits = new Commits();
    const projection = await projectionOver(commits);
    commits.publish([]);
    await projection.catchUp('RUSH');
    // As many as there are, so that those who counted what they heard would count more than is stored.
    const [one] = await trade('RUSH', 1);
    commits.publish(Array.from({ length: 200_001 }, () => one!));
    commits.publish(await trade('RUSH', 4));
    await projection.catchUp('RUSH');
    expect(await volumeOf('RUSH')).toBe(5);
  });

  it('has a reader wait for a long backlog, and come back only where the tables do not move', async () => {
    await trade('LONG', 60_000);
    const commits = new Commits();
    const projection = await projectionOver(commits);
    await projection.catchUp('LONG');
    expect(await volumeOf('LONG')).toBe(60_000);

    vi.useFakeTimers();
    let move: () => void = () => undefined;
    vi.spyOn(commits, 'projected').mockReturnValue(new Promise((resolve) => (move = resolve)));
    const refused = expect(projection.catchUp('LONG')).rejects.toMatchObject({
      code: 'temporarily_unavailable',
    });
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await refused;
    move();
  });

  describe('the ticker', () => {
    const market = (marketId: string): MarketView => ({ definition: { marketId } }) as MarketView;

    it('adds to what it read what is committed while it reads and after', async () => {
      const commits = new Commits();
      const projection = await projectionOver(commits);
      const ticker = new TickerService(commits as unknown as CoreService, projection, pool);
      ticker.onModuleInit();
      await trade('TICKER', 100);
      const loading = ticker.dayOf(market('TICKER'), Date.now());
      const during = await trade('TICKER', 20);
      commits.publish(during);
      await loading;
      expect(await ticker.dayOf(market('TICKER'), Date.now())).toEqual({
        volumeLots: 120n,
        highTicks: 100,
        lowTicks: 1,
      });

      const after = await trade('TICKER', 200);
      commits.publish(after);
      expect(await ticker.dayOf(market('TICKER'), Date.now())).toEqual({
        volumeLots: 320n,
        highTicks: 200,
        lowTicks: 1,
      });
      const tomorrow = Date.now() + 24 * 60 * 60_000;
      expect(await ticker.dayOf(market('TICKER'), tomorrow)).toEqual({
        volumeLots: 0n,
        highTicks: null,
        lowTicks: null,
      });
    });

    it('counts once what it has read and is told of a moment later', async () => {
      const commits = new Commits();
      const ticker = new TickerService(
        commits as unknown as CoreService,
        await projectionOver(commits),
        pool,
      );
      ticker.onModuleInit();
      const trades = await trade('LATE', 20);
      await ticker.dayOf(market('LATE'), Date.now());
      commits.publish(trades);
      expect((await ticker.dayOf(market('LATE'), Date.now())).volumeLots).toBe(20n);
    });
  });
});
