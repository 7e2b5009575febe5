import { median } from '../../scripts/support/statistics.js';
import { BenchService } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, limitFigure } from '../support/figures.js';
import { MIDDLE_TICKS } from '../support/order-load.js';

const OPEN_ORDERS = 100_000;
const FULL_SECONDS_MAX = 1.4;
const EMPTY_SECONDS_MAX = 0.8;
const RESTARTS = 3;
const MARKET = 'BENCH-RECOVERY';

interface Restarts {
  readonly seconds: number;
  readonly residentMb: number;
  /** Each of them, in their order. */
  readonly all: string;
}

/** Kills the service over a book of open orders and starts it again. */
export async function benchRecovery(context: BenchContext): Promise<Figure[]> {
  // One of its own: what other sections left would be loaded too.
  const service = await BenchService.start(await context.createDatabase('bench_recovery'));
  try {
    await service.createMarket(MARKET);
    const empty = await restarts(service);
    await service.makeOrders({
      market_id: MARKET,
      kind: 'resting',
      orders: OPEN_ORDERS,
      levels: 1_000,
      middle_ticks: MIDDLE_TICKS,
      size_lots: 100_000,
    });
    const full = await restarts(service);
    const orders = OPEN_ORDERS.toLocaleString('en-US');
    return [
      limitFigure(
        `restart with ${orders} open orders, to the first answered order`,
        full.seconds,
        FULL_SECONDS_MAX,
        ' s',
        `from the start of the process after a kill -9, the middle of ${full.all}`,
      ),
      limitFigure(
        'restart with an empty book, to the first answered order',
        empty.seconds,
        EMPTY_SECONDS_MAX,
        ' s',
        `the middle of ${empty.all}`,
      ),
      {
        what: `memory for ${orders} open orders`,
        measured: `${Math.round(full.residentMb - empty.residentMb)} MB`,
        goal: '',
        basis: `resident after the restart: ${Math.round(full.residentMb)} MB, with an empty book ${Math.round(empty.residentMb)} MB`,
      },
    ];
  } finally {
    await service.stop();
  }
}

/** The first of them finds what had just been committed, as a crash under load does. */
async function restarts(service: BenchService): Promise<Restarts> {
  const measured: { seconds: number; residentMb: number }[] = [];
  while (measured.length < RESTARTS) measured.push(await service.restartAfterKill(MARKET));
  return {
    seconds: median(measured.map(({ seconds }) => seconds)),
    residentMb: median(measured.map(({ residentMb }) => residentMb)),
    all: measured.map(({ seconds }) => fixed(seconds)).join(', '),
  };
}
