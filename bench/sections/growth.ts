import { showProgress } from '../../src/kit/progress.js';
import { BenchService } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, rate } from '../support/figures.js';
import { MIDDLE_TICKS, ordersOneByOne } from '../support/order-load.js';
import { History } from '../support/history.js';
import { type Measured, ratioOf, runInTurns } from '../support/rounds.js';

const SIZE_LOTS = 100_000;
const ORDERS_PER_CALL = 20_000;
const FEW_ORDERS = 1_000;
/** By the service itself; longer histories are copies of them. */
const TRADED_ORDERS = 100_000;
const MARKETS = [1, 1_000];
const LEVELS = [10, 10_000];
/** Two measurements of the same thing differ by so much on a machine that does other work as well. */
const NOISE = 0.15;

/** The same load on little history and on much of it, in two new services that run in turns. */
export async function benchHistory(context: BenchContext): Promise<Figure[]> {
  const market = 'BENCH-HISTORY';
  const { load, rounds } = context;
  const young = await BenchService.start(await context.createDatabase('bench_young'));
  let old: BenchService | undefined;
  let history: History | undefined;
  try {
    old = await BenchService.start(await context.createDatabase('bench_old'));
    await old.createMarket(market);
    await young.createMarket(market);
    await makeHistory(young, market, FEW_ORDERS);
    await makeHistory(old, market, TRADED_ORDERS);
    history = await History.of(old);
    const orders = Math.max(context.sizes.history, TRADED_ORDERS);
    const stored = await history.growTo(orders / TRADED_ORDERS);
    const measured = await runInTurns(
      load,
      { young: ordersOneByOne(young, [market]), old: ordersOneByOne(old, [market]) },
      rounds,
    );
    const ratio = ratioOf(measured.old, measured.young);
    return [
      {
        what: `orders/s on ${orders.toLocaleString('en-US')} orders of history / on ${FEW_ORDERS.toLocaleString('en-US')}`,
        measured: fixed(ratio),
        goal: '1, but for noise',
        isMet: ratio >= 1 - NOISE,
        basis: `${rate(measured.old.perSecond)} / ${rate(measured.young.perSecond)}; ${stored.toLocaleString('en-US')} orders stored`,
      },
    ];
  } finally {
    await history?.close();
    await old?.stop();
    await young.stop();
  }
}

/** The same load over one market and over many. */
export async function benchMarkets({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  const marketIds = Array.from({ length: Math.max(...MARKETS) }, (_, i) => `BENCH-M${i}`);
  for (const marketId of marketIds) await service.createMarket(marketId);
  const measured = await runInTurns(
    load,
    Object.fromEntries(
      MARKETS.map((amount) => [String(amount), ordersOneByOne(service, marketIds.slice(0, amount))]),
    ),
    rounds,
  );
  return comparedWithFirst(MARKETS, measured, (amount) => `over ${amount} markets / over one`);
}

/** The same load at the top of a shallow book and of a deep one; it matches only the first few resting orders. */
export async function benchDepth({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  const marketOf = (levels: number): string => `BENCH-DEPTH-${levels}`;
  for (const levels of LEVELS) {
    await service.createMarket(marketOf(levels));
    await service.makeOrders({
      market_id: marketOf(levels),
      kind: 'resting',
      orders: 2 * levels,
      levels,
      middle_ticks: MIDDLE_TICKS,
      size_lots: SIZE_LOTS,
    });
  }
  const measured = await runInTurns(
    load,
    Object.fromEntries(LEVELS.map((levels) => [String(levels), ordersOneByOne(service, [marketOf(levels)])])),
    rounds,
  );
  return comparedWithFirst(LEVELS, measured, (levels) => `on ${levels} levels a side / on ${LEVELS[0]!}`);
}

function comparedWithFirst(
  steps: readonly number[],
  measured: Readonly<Record<string, Measured>>,
  describe: (step: string) => string,
): Figure[] {
  const first = measured[String(steps[0])]!;
  return steps.slice(1).map((step) => {
    const own = measured[String(step)]!;
    return {
      what: `orders/s ${describe(step.toLocaleString('en-US'))}`,
      measured: fixed(ratioOf(own, first)),
      goal: '',
      basis: `${rate(own.perSecond)} / ${rate(first.perSecond)}`,
    };
  });
}

async function makeHistory(service: BenchService, marketId: string, orders: number): Promise<void> {
  const progress = showProgress('Making history', orders);
  for (let made = 0; made < orders;) {
    const step = Math.min(ORDERS_PER_CALL, orders - made);
    await service.makeOrders({
      market_id: marketId,
      kind: 'traded',
      orders: step,
      levels: 10,
      middle_ticks: MIDDLE_TICKS,
      size_lots: SIZE_LOTS,
    });
    progress.update((made += step));
  }
  progress.stop();
}
