import { showProgress } from '../../scripts/support/progress.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, rate } from '../support/figures.js';
import { MIDDLE_TICKS, orderLoad } from '../support/order-load.js';
import { ratioOf, runInTurns } from '../support/rounds.js';

const CONNECTIONS = 64;
const ORDERS_PER_CALL = 20_000;
/** Two measurements of the same thing differ by so much on a machine that does other work as well. */
const NOISE = 0.15;

/** How much of the echo's rate orders reach, with this many markets taking turns. */
async function shareOfEcho(
  { service, load, rounds }: BenchContext,
  marketIds: readonly string[],
): Promise<{ share: number; perSecond: number }> {
  const { echo, orders } = await runInTurns(
    service,
    load,
    {
      echo: { connections: orderLoad(service, '/bench/echo', CONNECTIONS, marketIds), status: 201 },
      orders: { connections: orderLoad(service, '/orders', CONNECTIONS, marketIds), status: 201 },
    },
    rounds,
  );
  return { share: ratioOf(orders, echo), perSecond: orders.perSecond };
}

/** The same load on ever more history. */
export async function benchHistory(context: BenchContext, ordersMost: number): Promise<Figure[]> {
  const market = 'BENCH-HISTORY';
  await context.service.createMarket(market);
  const progress = showProgress('Making history', ordersMost);
  let made = 0;
  const measured: { orders: number; share: number; perSecond: number }[] = [];
  for (const orders of [1_000, 100_000, 1_000_000].filter((step) => step <= ordersMost)) {
    while (made < orders) {
      const step = Math.min(ORDERS_PER_CALL, orders - made);
      await context.service.makeOrders({
        market_id: market,
        kind: 'traded',
        orders: step,
        levels: 10,
        middle_ticks: MIDDLE_TICKS,
        size_lots: 100_000,
      });
      made += step;
      progress.update(made);
    }
    measured.push({ orders, ...(await shareOfEcho(context, [market])) });
  }
  progress.stop();
  const [first] = measured as [(typeof measured)[number]];
  return measured.map(({ orders, share, perSecond }) => ({
    what: `orders / echo, on ${orders.toLocaleString('en-US')} orders of history`,
    measured: fixed(share),
    goal: orders === 1_000 ? '' : 'as with 1,000',
    ...(orders > 1_000 && { isMet: share >= first.share * (1 - NOISE) }),
    basis: rate(perSecond),
  }));
}

/** The same load over ever more markets. */
export async function benchMarkets(context: BenchContext): Promise<Figure[]> {
  const marketIds: string[] = [];
  const figures: Figure[] = [];
  for (const amount of [1, 10, 1_000]) {
    while (marketIds.length < amount) {
      const marketId = `BENCH-M${marketIds.length}`;
      await context.service.createMarket(marketId);
      marketIds.push(marketId);
    }
    const { share, perSecond } = await shareOfEcho(context, marketIds);
    figures.push({
      what: `orders / echo, over ${amount.toLocaleString('en-US')} markets`,
      measured: fixed(share),
      goal: '',
      basis: rate(perSecond),
    });
  }
  return figures;
}

/** The same load at the top of ever deeper books; of the book's own orders it takes no more than the first few. */
export async function benchDepth(context: BenchContext): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const levels of [10, 1_000, 10_000]) {
    const market = `BENCH-DEPTH-${levels}`;
    await context.service.createMarket(market);
    await context.service.makeOrders({
      market_id: market,
      kind: 'resting',
      orders: 2 * levels,
      levels,
      middle_ticks: MIDDLE_TICKS,
      size_lots: 100_000,
    });
    const { share, perSecond } = await shareOfEcho(context, [market]);
    figures.push({
      what: `orders / echo, in a book of ${levels.toLocaleString('en-US')} levels a side`,
      measured: fixed(share),
      goal: '',
      basis: rate(perSecond),
    });
  }
  return figures;
}
