import type { BenchService } from './bench-service.js';
import { wireRequest } from './load-generator.js';
import type { RequestContender, SocketContender } from './rounds.js';

/** The middle of every bench market, in ticks of 0.01. */
export const MIDDLE_TICKS = 60_000_00;
/** Sells are offered at so many prices from the middle on; buys take any of them. */
const OFFERED_LEVELS = 10;
const SIZES = ['0.001', '0.002', '0.003'] as const;
/** How many different requests a connection sends before it begins again. */
const REQUESTS_PER_CONNECTION = 60;

/** How many clients the figures are promised for. */
export const CONNECTIONS = 64;
const BATCHES_PER_CONNECTION = 6;

interface OrdersOptions {
  /** A route that takes an order; `/orders` unless it is another. */
  readonly path?: string;
  readonly connections?: number;
}

/**
 * One order a request. Half of the connections offer, the other half takes: sizes differ, so that fills
 * are partial as often as whole, and as much is bought as is sold, so that the book stays small.
 */
export function ordersOneByOne(
  service: BenchService,
  marketIds: readonly string[],
  { path = '/orders', connections = CONNECTIONS }: OrdersOptions = {},
): RequestContender {
  return {
    url: service.url,
    status: 201,
    connections: Array.from({ length: connections }, (_, connection) =>
      Array.from({ length: REQUESTS_PER_CONNECTION }, (__, i) => {
        const { token, ...order } = orderOf(service, connection, i, marketIds);
        return wireRequest(path, token, order);
      }),
    ),
  };
}

/** The same orders, so many in each request. */
export function ordersInBatches(
  service: BenchService,
  marketIds: readonly string[],
  connections: number,
  ordersPerBatch: number,
): RequestContender {
  const batchOf = (connection: number, first: number): string => {
    const orders = Array.from({ length: ordersPerBatch }, (_, i) =>
      orderOf(service, connection, first + i, marketIds),
    );
    return wireRequest('/orders/batch', orders[0]!.token, {
      orders: orders.map(({ token: _token, ...order }) => order),
    });
  };
  return {
    url: service.url,
    status: 200,
    connections: Array.from({ length: connections }, (_, connection) =>
      Array.from({ length: BATCHES_PER_CONNECTION }, (__, i) => batchOf(connection, i * ordersPerBatch)),
    ),
  };
}

/** The same orders through sockets, one a message, so many of a socket on their way at once. */
export function ordersThroughSockets(
  service: BenchService,
  marketIds: readonly string[],
  sockets: number,
  inFlight: number,
): SocketContender {
  return {
    url: service.url,
    // What stands for an acknowledgement with `data`.
    status: 200,
    namespace: '/account',
    inFlight,
    sockets: Array.from({ length: sockets }, (_, socket) => {
      const orders = Array.from({ length: REQUESTS_PER_CONNECTION }, (__, i) =>
        orderOf(service, socket, i, marketIds),
      );
      return {
        token: orders[0]!.token,
        messages: orders.map(({ token: _token, ...order }) => JSON.stringify(['orders.place', order])),
      };
    }),
  };
}

function orderOf(service: BenchService, connection: number, i: number, marketIds: readonly string[]) {
  const isOffer = connection % 2 === 0;
  const traders = isOffer ? service.sellers : service.buyers;
  const pair = connection >> 1;
  const { token, accountId } = traders[(pair + i) % traders.length]!;
  const level = isOffer ? (pair + i) % OFFERED_LEVELS : OFFERED_LEVELS - 1;
  return {
    token,
    market_id: marketIds[(pair * REQUESTS_PER_CONNECTION + i) % marketIds.length]!,
    side: isOffer ? 'sell' : 'buy',
    type: 'limit',
    price: ((MIDDLE_TICKS + level) / 100).toFixed(2),
    size: SIZES[(i + (isOffer ? 0 : 1)) % SIZES.length]!,
    time_in_force: 'GTC',
    account_id: accountId,
  };
}
