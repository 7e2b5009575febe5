import { type Figure, fixed, rate, ratioFigure } from '../support/figures.js';
import { batchLoad, orderLoad } from '../support/order-load.js';
import { ratioOf, runInTurns } from '../support/rounds.js';
import type { BenchContext } from '../support/context.js';

const CONNECTIONS = 64;
const BATCH_CONNECTIONS = 8;
const ORDERS_PER_BATCH = 100;
const ROWS_METRIC = 'tradepost_core_rows_written_total';
const MARKET = 'BENCH-ORDERS';

/** Durable orders, one a request, against the echo of the same app; and what they write. */
export async function benchOrders({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  await service.createMarket(MARKET);
  const { echo, orders } = await runInTurns(
    service,
    load,
    {
      echo: { connections: orderLoad(service, '/bench/echo', CONNECTIONS, [MARKET]), status: 201 },
      orders: { connections: orderLoad(service, '/orders', CONNECTIONS, [MARKET]), status: 201 },
    },
    rounds,
  );

  const before = await batchFigures();
  const { orders: counted } = await runInTurns(
    service,
    load,
    { orders: { connections: orderLoad(service, '/orders', CONNECTIONS, [MARKET]), status: 201 } },
    { ...rounds, rounds: 1 },
  );
  const after = await batchFigures();
  const requests = after.requests - before.requests;
  const rowsAnOrder = (after.rows - before.rows) / requests;
  const ordersABatch = requests / (after.batches - before.batches);

  async function batchFigures() {
    return {
      rows: await service.metric(ROWS_METRIC),
      requests: await service.metric('tradepost_core_batch_requests_sum'),
      batches: await service.metric('tradepost_core_batch_requests_count'),
    };
  }

  return [
    ratioFigure(
      'durable `POST /orders` / bare echo route',
      ratioOf(orders, echo),
      0.8,
      `${rate(orders.perSecond)} (p50 ${fixed(orders.p50Ms)} ms, p99 ${fixed(orders.p99Ms)} ms) / ${rate(echo.perSecond)}`,
    ),
    {
      what: 'rows written an order',
      measured: fixed(rowsAnOrder),
      goal: '≤ 6',
      isMet: rowsAnOrder <= 6,
      basis: `${fixed(ordersABatch)} orders a batch, ${rate(counted.perSecond)}, 32 accounts`,
    },
  ];
}

/** The same orders, each in a TypeORM transaction of its own. */
export async function benchTypeOrm({ service, load, rounds }: BenchContext): Promise<Figure[]> {
  await service.createMarket(`${MARKET}-TYPEORM`);
  const market = [`${MARKET}-TYPEORM`];
  const { orders, typeorm } = await runInTurns(
    service,
    load,
    {
      orders: { connections: orderLoad(service, '/orders', CONNECTIONS, market), status: 201 },
      typeorm: { connections: orderLoad(service, '/bench/typeorm-orders', CONNECTIONS, market), status: 201 },
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
  await service.createMarket(`${MARKET}-BATCH`);
  const market = [`${MARKET}-BATCH`];
  const { echo, batches } = await runInTurns(
    service,
    load,
    {
      echo: { connections: orderLoad(service, '/bench/echo', CONNECTIONS, market), status: 201 },
      batches: {
        connections: batchLoad(service, BATCH_CONNECTIONS, ORDERS_PER_BATCH, market),
        status: 200,
      },
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
  ];
}
