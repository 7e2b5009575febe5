import { median } from '../../scripts/support/statistics.js';
import type { BenchService } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, limitFigure, rate, rateFigure, ratioFigure } from '../support/figures.js';
import {
  BATCH_CONNECTIONS,
  CONNECTIONS,
  ORDERS_PER_BATCH,
  ordersByFix,
  ordersInBatches,
  ordersOneByOne,
  ordersPaced,
  ordersSigned,
  ordersThroughSockets,
} from '../support/order-load.js';
import { answersIn, ratioOf, runInTurns, runTurn } from '../support/rounds.js';
import { usageOf } from '../support/usage.js';

const ORDERS_RATIO_LEAST = 0.85;
const BATCH_RATIO_LEAST = 4;
const CPU_MICROSECONDS_AN_ORDER_MAX = 130;
const WAL_BYTES_AN_ORDER_MAX = 1_600;
/** What the last orders of a measured load may still cause. */
const CAUGHT_UP_MS_MAX = 30_000;
/** While one half of the clients waits for its commit the other half gathers: commits of 64 orders. */
const CONNECTIONS_FOR_COMMITS_OF_64 = 128;
const ROWS_AN_ORDER_MAX = 0.1;
const SOCKETS = 8;
const IN_FLIGHT_PER_SOCKET = 32;
const MARKET = 'BENCH-ORDERS';
const P99_PER_P50_MOST = 4;
/** Of the demo data: the only market that is `BTCUSD` in the dialect of Binance. */
const SYMBOL_MARKET = 'BTC-USD';
const SIGNED_RATIO_LEAST = 0.8;

/** Durable orders, one a request, against the echo of the same app; and what they write. */
export async function benchOrders(context: BenchContext): Promise<Figure[]> {
  const { service, load, rounds } = context;
  await service.createMarket(MARKET);
  const { echo, orders } = await runInTurns(
    load,
    {
      echo: ordersOneByOne(service, [MARKET], { path: '/bench/echo' }),
      orders: ordersOneByOne(service, [MARKET]),
    },
    rounds,
  );
  const latency = `p50 ${fixed(orders.p50Ms)} ms, p99 ${fixed(orders.p99Ms)} ms`;
  return [
    rateFigure('durable `POST /orders`, orders/s', orders.perSecond, latency),
    ratioFigure(
      'durable `POST /orders` / bare echo route',
      ratioOf(orders, echo),
      ORDERS_RATIO_LEAST,
      `${rate(orders.perSecond)} / ${rate(echo.perSecond)}`,
    ),
    await halfLoad(context, orders.perSecond / 2),
    await rowsWritten(context),
  ];
}

/** Orders at fixed moments, half as many as the service could take. */
async function halfLoad({ service, load, rounds }: BenchContext, perSecond: number): Promise<Figure> {
  const { orders } = await runInTurns(
    load,
    { orders: ordersPaced(service, [MARKET], perSecond) },
    { ...rounds, roundMs: rounds.longRoundMs },
  );
  return limitFigure(
    'p99 of a single order at half load / its p50',
    median(orders.rounds.map(({ p50Ms, p99Ms }) => p99Ms / p50Ms)),
    P99_PER_P50_MOST,
    '',
    `p99 ${fixed(orders.p99Ms)} ms, p50 ${fixed(orders.p50Ms)} ms, ${rate(orders.perSecond)} at fixed moments`,
  );
}

async function rowsWritten({ service, load, rounds }: BenchContext): Promise<Figure> {
  const before = await commitsOf(service);
  await runInTurns(
    load,
    { orders: ordersOneByOne(service, [MARKET], { connections: CONNECTIONS_FOR_COMMITS_OF_64 }) },
    { ...rounds, rounds: 1 },
  );
  const after = await commitsOf(service);
  const orders = after.orders - before.orders;
  return limitFigure(
    'rows in the commit, an order',
    (after.rows - before.rows) / orders,
    ROWS_AN_ORDER_MAX,
    '',
    `${fixed(orders / (after.commits - before.commits))} orders a commit`,
  );
}

async function commitsOf(service: BenchService): Promise<{ rows: number; orders: number; commits: number }> {
  const [rows, orders, commits] = await service.metrics([
    'tradepost_core_rows_written_total',
    'tradepost_core_batch_requests_sum',
    'tradepost_core_batch_requests_count',
  ]);
  if (rows === undefined || orders === undefined || commits === undefined) {
    throw new Error('The service does not tell what its commits write.');
  }
  return { rows, orders, commits };
}

/** Orders in the dialect of Binance Spot, signed by HMAC, against our own of the same accounts. */
export async function benchSignedOrders({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  const [buyers, sellers] = await Promise.all([
    service.openSigningTraders('bench-buyer', CONNECTIONS / 2),
    service.openSigningTraders('bench-seller', CONNECTIONS / 2),
  ]);
  const traders = { workload: service.workload, buyers, sellers };
  const { orders, signed } = await runInTurns(
    load,
    {
      orders: ordersOneByOne(service, [SYMBOL_MARKET], { traders }),
      signed: ordersSigned(service, [SYMBOL_MARKET], traders),
    },
    rounds,
  );
  return [
    ratioFigure(
      'signed `POST /binance/api/v3/order` / `POST /orders`',
      ratioOf(signed, orders),
      SIGNED_RATIO_LEAST,
      `${rate(signed.perSecond)} / ${rate(orders.perSecond)}, of ${CONNECTIONS} accounts`,
    ),
  ];
}

/** Orders by FIX, the reports of all their fills included, against our own of the same accounts; all have ids. */
export async function benchFixOrders({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  const markets = [`${MARKET}-FIX`];
  await service.createMarket(markets[0]!);
  const [buyers, sellers] = await Promise.all([
    service.openSigningTraders('fix-buyer', CONNECTIONS / 2),
    service.openSigningTraders('fix-seller', CONNECTIONS / 2),
  ]);
  const traders = { workload: { ...service.workload, keyEvery: 1 }, buyers, sellers };
  const { orders, fix } = await runInTurns(
    load,
    {
      orders: ordersOneByOne(service, markets, { traders }),
      fix: await ordersByFix(service, markets, traders),
    },
    rounds,
  );
  return [
    {
      what: 'durable orders by FIX / `POST /orders`',
      measured: fixed(ratioOf(fix, orders)),
      goal: '',
      basis: `${rate(fix.perSecond)} (p50 ${fixed(fix.p50Ms)} ms) / ${rate(orders.perSecond)}, of ${CONNECTIONS} accounts, each order with an id`,
    },
  ];
}

/** The same orders, each in a TypeORM transaction of its own. */
export async function benchTypeOrm({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  const markets = [`${MARKET}-TYPEORM`];
  await service.createMarket(markets[0]!);
  const { orders, typeorm } = await runInTurns(
    load,
    {
      orders: ordersOneByOne(service, markets),
      typeorm: ordersOneByOne(service, markets, { path: '/bench/typeorm-orders' }),
    },
    rounds,
  );
  return [
    ratioFigure(
      'durable `POST /orders` / one TypeORM transaction an order',
      ratioOf(orders, typeorm),
      80,
      `${rate(orders.perSecond)} / ${rate(typeorm.perSecond)}`,
    ),
  ];
}

/** Orders by the hundred, against one a request; and what an order of them uses up. */
export async function benchBatches(context: BenchContext): Promise<Figure[]> {
  const { service, load, rounds } = context;
  const markets = [`${MARKET}-BATCH`];
  await service.createMarket(markets[0]!);
  const { orders, batches } = await runInTurns(
    load,
    {
      orders: ordersOneByOne(service, markets),
      batches: ordersInBatches(service, markets),
    },
    { ...rounds, roundMs: rounds.longRoundMs },
  );
  const perSecond = batches.perSecond * ORDERS_PER_BATCH;
  return [
    rateFigure(`batches of ${ORDERS_PER_BATCH}, orders/s`, perSecond, `c=${BATCH_CONNECTIONS}`),
    ratioFigure(
      `batches of ${ORDERS_PER_BATCH}, orders/s / \`POST /orders\``,
      ratioOf(batches, orders) * ORDERS_PER_BATCH,
      BATCH_RATIO_LEAST,
      `${rate(perSecond)} / ${rate(orders.perSecond)}`,
    ),
    ...(await usedByBatches(context, markets)),
  ];
}

/** All told: what is done of orders after they are answered counts too. */
async function usedByBatches({ service, load, rounds }: BenchContext, markets: string[]): Promise<Figure[]> {
  const batches = ordersInBatches(service, markets);
  // After a checkpoint the first change of every page writes the whole page: most of that is over after a round.
  await service.ask('CHECKPOINT');
  await runTurn(load, batches, rounds.longRoundMs);
  await service.caughtUp(CAUGHT_UP_MS_MAX);
  let orders = 0;
  const usage = await usageOf(service, async () => {
    orders = ORDERS_PER_BATCH * answersIn(await runTurn(load, batches, rounds.longRoundMs));
    await service.caughtUp(CAUGHT_UP_MS_MAX);
  });
  const basis = `${orders.toLocaleString('en-US')} orders in batches`;
  const { cpuMicroseconds, walBytes, walPageBytes, allocatedBytes } = usage;
  const ofCpu =
    cpuMicroseconds === undefined
      ? []
      : [
          limitFigure(
            'CPU of all processes but the load, an order',
            cpuMicroseconds / orders,
            CPU_MICROSECONDS_AN_ORDER_MAX,
            ' µs',
            basis,
          ),
        ];
  return [
    ...ofCpu,
    limitFigure(
      'WAL bytes an order, all told',
      walBytes / orders,
      WAL_BYTES_AN_ORDER_MAX,
      '',
      `${fixed((walBytes - walPageBytes) / orders)} without images of whole pages; ${basis}`,
    ),
    {
      what: 'bytes that the service allocates, an order',
      measured: fixed(allocatedBytes / orders),
      goal: '',
      basis: `on the heap of its main thread; ${basis}`,
    },
  ];
}

/** One order a message through sockets, against one a request. */
export async function benchSocketOrders({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  const markets = [`${MARKET}-SOCKETS`];
  await service.createMarket(markets[0]!);
  const { orders, sockets } = await runInTurns(
    load,
    {
      orders: ordersOneByOne(service, markets),
      sockets: ordersThroughSockets(service, markets, SOCKETS, IN_FLIGHT_PER_SOCKET),
    },
    rounds,
  );
  return [
    ratioFigure(
      'durable orders over the socket / `POST /orders`',
      ratioOf(sockets, orders),
      4,
      `${rate(sockets.perSecond)} (${SOCKETS} sockets, ${IN_FLIGHT_PER_SOCKET} on their way in each, p50 ${fixed(sockets.p50Ms)} ms) / ${rate(orders.perSecond)}`,
    ),
  ];
}
