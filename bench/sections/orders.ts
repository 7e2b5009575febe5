import type { BenchService } from '../support/bench-service.js';
import type { BenchContext } from '../support/context.js';
import { type Figure, fixed, rate, ratioFigure } from '../support/figures.js';
import { ordersInBatches, ordersOneByOne, ordersThroughSockets } from '../support/order-load.js';
import { type Measured, ratioOf, runInTurns } from '../support/rounds.js';

const BATCH_CONNECTIONS = 8;
const ORDERS_PER_BATCH = 100;
const ROWS_AN_ORDER_MOST = 6;
/** While one half of the clients waits for its commit the other half gathers: commits of 64 orders. */
const CONNECTIONS_FOR_COMMITS_OF_64 = 128;
const SOCKETS = 8;
const IN_FLIGHT_PER_SOCKET = 32;
const MARKET = 'BENCH-ORDERS';
const ECHO = { path: '/bench/echo' };
const WITHOUT_FEES = { maker_fee_rate: '0', taker_fee_rate: '0' };

/** Durable orders, one a request, against the echo of the same app; and what they write. */
export async function benchOrders(context: BenchContext): Promise<Figure[]> {
  const { service, load, rounds } = context;
  const free = `${MARKET}-FREE`;
  await service.createMarket(MARKET);
  await service.createMarket(free, WITHOUT_FEES);
  const { echo, orders, ordersFree } = await runInTurns(
    load,
    {
      echo: ordersOneByOne(service, [MARKET], ECHO),
      orders: ordersOneByOne(service, [MARKET]),
      ordersFree: ordersOneByOne(service, [free]),
    },
    rounds,
  );
  const latency = `p50 ${fixed(orders.p50Ms)} ms, p99 ${fixed(orders.p99Ms)} ms`;
  return [
    ratioFigure(
      'durable `POST /orders` / bare echo route',
      ratioOf(orders, echo),
      0.8,
      `${rate(orders.perSecond)} (${latency}) / ${rate(echo.perSecond)}`,
    ),
    withFees('durable `POST /orders`', orders, ordersFree, 1),
    await rowsWritten(context, MARKET, 'rows written an order', ROWS_AN_ORDER_MOST),
    await rowsWritten(context, free, 'rows written an order, without fees'),
  ];
}

/** What the fees of a market cost: each trade moves money to the house too. */
function withFees(what: string, fees: Measured, free: Measured, ordersEach: number): Figure {
  const [rateOfFees, rateOfFree] = [fees, free].map(({ perSecond }) => rate(perSecond * ordersEach));
  return {
    what: `${what} with fees / without`,
    measured: fixed(ratioOf(fees, free)),
    goal: '',
    basis: `${rateOfFees} / ${rateOfFree}`,
  };
}

async function rowsWritten(
  { service, load, rounds }: BenchContext,
  market: string,
  what: string,
  most?: number,
): Promise<Figure> {
  const before = await commitsOf(service);
  await runInTurns(
    load,
    { orders: ordersOneByOne(service, [market], { connections: CONNECTIONS_FOR_COMMITS_OF_64 }) },
    { ...rounds, rounds: 1 },
  );
  const after = await commitsOf(service);
  const orders = after.orders - before.orders;
  const rowsAnOrder = (after.rows - before.rows) / orders;
  return {
    what,
    measured: fixed(rowsAnOrder),
    ...(most === undefined ? { goal: '' } : { goal: `≤ ${most}`, isMet: rowsAnOrder <= most }),
    basis: `${fixed(orders / (after.commits - before.commits))} orders a commit, 32 accounts`,
  };
}

async function commitsOf(service: BenchService): Promise<{ rows: number; orders: number; commits: number }> {
  return {
    rows: await service.metric('tradepost_core_rows_written_total'),
    orders: await service.metric('tradepost_core_batch_requests_sum'),
    commits: await service.metric('tradepost_core_batch_requests_count'),
  };
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
      20,
      `${rate(orders.perSecond)} / ${rate(typeorm.perSecond)}`,
    ),
  ];
}

/** Orders by the hundred. */
export async function benchBatches({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  const markets = [`${MARKET}-BATCH`];
  const free = `${MARKET}-BATCH-FREE`;
  await service.createMarket(markets[0]!);
  await service.createMarket(free, WITHOUT_FEES);
  const { echo, batches, batchesFree } = await runInTurns(
    load,
    {
      echo: ordersOneByOne(service, markets, ECHO),
      batches: ordersInBatches(service, markets, BATCH_CONNECTIONS, ORDERS_PER_BATCH),
      batchesFree: ordersInBatches(service, [free], BATCH_CONNECTIONS, ORDERS_PER_BATCH),
    },
    rounds,
  );
  return [
    ratioFigure(
      `batch of ${ORDERS_PER_BATCH}, orders/s / bare echo route`,
      ratioOf(batches, echo) * ORDERS_PER_BATCH,
      3,
      `${rate(batches.perSecond * ORDERS_PER_BATCH)} orders (c=${BATCH_CONNECTIONS}) / ${rate(echo.perSecond)}`,
    ),
    withFees(`batch of ${ORDERS_PER_BATCH}, orders/s`, batches, batchesFree, ORDERS_PER_BATCH),
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
      2,
      `${rate(sockets.perSecond)} (${SOCKETS} sockets, ${IN_FLIGHT_PER_SOCKET} on their way in each, p50 ${fixed(sockets.p50Ms)} ms) / ${rate(orders.perSecond)}`,
    ),
  ];
}
