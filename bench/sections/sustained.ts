import { percentile } from '../../scripts/support/statistics.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, limitFigure, rate, rateFigure, ratioFigure } from '../support/figures.js';
import { FollowerWatch } from '../support/follower-watch.js';
import {
  BATCH_CONNECTIONS,
  ORDERS_PER_BATCH,
  ordersInBatches,
  ordersOneByOne,
} from '../support/order-load.js';
import { rateOf, runInTurns, runTurn } from '../support/rounds.js';

const MARKET = 'BENCH-SUSTAINED';
/** Of a run: whether it becomes slower. */
const PARTS = 5;
const RATIO_LEAST = 3.5;
const LAG_SECONDS_MAX = 1;
const CAUGHT_UP_SECONDS_MAX = 60;

/** Orders by the hundred for minutes without a pause, and how far those that follow the journal lag behind meanwhile. */
export async function benchSustained({ service, load, rounds, sizes }: BenchContext): Promise<Figure[]> {
  await service.createMarket(MARKET);
  const { orders } = await runInTurns(load, { orders: ordersOneByOne(service, [MARKET]) }, rounds);
  const batches = ordersInBatches(service, [MARKET]);
  await runTurn(load, batches, rounds.roundMs);
  const [watcher] = await service.openSigningTraders('bench-watcher', 1);
  const watch = new FollowerWatch(service, MARKET, watcher!);
  const stop = new AbortController();
  const watching = watch.run(stop.signal);
  const rates: number[] = [];
  try {
    while (rates.length < PARTS) {
      const part = runTurn(load, batches, (sizes.sustainedSeconds * 1_000) / PARTS);
      // One that fails to watch ends the section.
      const result = await Promise.race([part, watching.then(() => part)]);
      rates.push(rateOf(result) * ORDERS_PER_BATCH);
    }
  } finally {
    stop.abort();
  }
  const stoppedAtMs = performance.now();
  const isCaughtUp = await service.caughtUp(CAUGHT_UP_SECONDS_MAX * 1_000);
  // What the metrics do not tell of, the last trade finds.
  await watching;
  const caughtUpSeconds = (performance.now() - stoppedAtMs) / 1_000;
  const perSecond = rates.reduce((sum, one) => sum + one, 0) / rates.length;
  return [
    rateFigure(
      'sustained orders/s, in batches of 100',
      perSecond,
      `${rates.map(rate).join(', ')} in each fifth of ${sizes.sustainedSeconds} s (c=${BATCH_CONNECTIONS})`,
    ),
    ratioFigure(
      'sustained orders/s, in batches of 100 / `POST /orders`',
      perSecond / orders.perSecond,
      RATIO_LEAST,
      `${rate(perSecond)} / ${rate(orders.perSecond)}`,
    ),
    ...[...watch.lagsMs].map(([follower, lagsMs]) => lagFigure(follower, lagsMs)),
    {
      what: 'until everything has caught up after the sustained load',
      measured: isCaughtUp ? `${fixed(caughtUpSeconds)} s` : `> ${CAUGHT_UP_SECONDS_MAX} s`,
      goal: '',
      basis: 'the tables, what the metrics tell of, and the last trade in everything that is read',
    },
  ];
}

function lagFigure(follower: string, lagsMs: readonly number[]): Figure {
  const seconds = (share: number): number => percentile(lagsMs, share) / 1_000;
  return limitFigure(
    `longest lag under sustained load: ${follower}`,
    seconds(1),
    LAG_SECONDS_MAX,
    ' s',
    `p99 ${fixed(seconds(0.99))} s, p50 ${fixed(seconds(0.5))} s, ${lagsMs.length} samples`,
  );
}
