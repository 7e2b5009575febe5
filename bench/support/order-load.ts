import { createHmac } from 'node:crypto';
import type { BenchService, SigningTrader, Trader } from './bench-service.js';
import { wireForm, wireJson } from './load-generator.js';
import type {
  Connections,
  FixContender,
  PacedContender,
  RequestContender,
  SocketContender,
} from './rounds.js';
import { encodeBody, utcTimeOf } from '../../plugins/fix/codec/encode.js';
import { TAG } from '../../plugins/fix/codec/tags.js';
import { SERIAL } from './template.js';

/** The middle of every bench market, in ticks of 0.01. */
export const MIDDLE_TICKS = 60_000_00;
/** Sells are offered at this many prices from the middle on; buys take any of them. */
const OFFERED_LEVELS = 10;
const SIZES = ['0.001', '0.002', '0.003'] as const;
/** How many different orders a connection sends at least before it begins again. */
const ORDERS_PER_CONNECTION_LEAST = 60;

/** How many clients the figures are promised for. */
export const CONNECTIONS = 64;
/** Where orders come in batches. */
export const BATCH_CONNECTIONS = 8;
export const ORDERS_PER_BATCH = 100;

/** As many as a connection places in a round at most: a signed request is good for one order. */
const SIGNED_PER_CONNECTION = 500;

/** Who places the orders of a load, and on what terms: the service's own traders unless others are named. */
export type Traders<Each extends Trader = Trader> = Pick<BenchService, 'workload'> & {
  readonly buyers: readonly Each[];
  readonly sellers: readonly Each[];
};

interface OrdersOptions {
  readonly traders?: Traders;
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
  { path = '/orders', connections = CONNECTIONS, traders = service }: OrdersOptions = {},
): RequestContender & { readonly connections: Connections } {
  return { service, status: 201, connections: requestsOf(traders, marketIds, path, connections) };
}

/** The same orders in the dialect of Binance Spot. */
export function ordersSigned(
  service: BenchService,
  marketIds: readonly string[],
  traders: Traders<SigningTrader>,
): RequestContender {
  let serial = 0;
  const signedOrder = (connection: number, i: number): string => {
    const place = { connection, i, orders: SIGNED_PER_CONNECTION };
    const { trader, order } = orderOf(traders, place, marketIds);
    const form = new URLSearchParams({
      symbol: order.market_id.replace('-', ''),
      side: order.side.toUpperCase(),
      type: 'LIMIT',
      timeInForce: order.time_in_force,
      quantity: order.size,
      price: order.price,
      ...(order.client_order_id !== undefined && { newClientOrderId: `signed-${++serial}` }),
      recvWindow: '60000',
      timestamp: String(Date.now()),
    }).toString();
    const signature = createHmac('sha256', trader.secret).update(form).digest('hex');
    const signed = `${form}&signature=${signature}`;
    return wireForm('/binance/api/v3/order', `X-MBX-APIKEY: ${trader.apiKey}`, signed);
  };
  return {
    service,
    status: 200,
    connections: () =>
      Promise.resolve(
        Array.from({ length: CONNECTIONS }, (_, connection) =>
          Array.from({ length: SIGNED_PER_CONNECTION }, (__, i) => signedOrder(connection, i)),
        ),
      ),
  };
}

/** The same orders by FIX, through one session for each connection. */
export async function ordersByFix(
  service: BenchService,
  marketIds: readonly string[],
  traders: Traders<SigningTrader>,
): Promise<FixContender> {
  const { port } = await service.operate<{ port: number }>('GET', '/bench/fix');
  const orders = ORDERS_PER_CONNECTION_LEAST;
  // A session is of one account, so its orders are too.
  const sessions = Array.from({ length: CONNECTIONS }, (_, connection) => {
    const side = connection % 2 === 0 ? traders.sellers : traders.buyers;
    const { apiKey, secret } = side[connection >> 1]!;
    return {
      senderCompId: `BENCH-${connection}`,
      apiKey,
      secret,
      orders: Array.from({ length: orders }, (__, i) =>
        fixOrderOf(orderOf(traders, { connection, i, orders }, marketIds).order),
      ),
    };
  });
  return { service, status: 200, fixUrl: `http://127.0.0.1:${port}`, sessions };
}

function fixOrderOf({ market_id: marketId, side, price, size }: ReturnType<typeof orderOf>['order']): string {
  return encodeBody([
    [TAG.Symbol, marketId],
    [TAG.Side, side === 'buy' ? '1' : '2'],
    [TAG.TransactTime, utcTimeOf(Date.now())],
    [TAG.OrderQty, size],
    [TAG.OrdType, '2'],
    [TAG.Price, price],
    [TAG.TimeInForce, '1'],
  ]);
}

/** The same orders at a fixed rate, whether earlier ones have been answered or not. */
export function ordersPaced(
  service: BenchService,
  marketIds: readonly string[],
  perSecond: number,
): PacedContender {
  const connections = requestsOf(service, marketIds, '/orders', CONNECTIONS);
  return {
    service,
    status: 201,
    // Those that offer and those that take in turn, as the connections are.
    requests: connections[0]!.flatMap((_, i) => connections.map((requests) => requests[i]!)),
    everyMs: 1_000 / perSecond,
    connections: CONNECTIONS,
  };
}

function requestsOf(
  traders: Traders,
  marketIds: readonly string[],
  path: string,
  connections: number,
): string[][] {
  const orders = ordersPerConnection(traders, connections);
  return Array.from({ length: connections }, (_, connection) =>
    Array.from({ length: orders }, (__, i) => {
      const { trader, order } = orderOf(traders, { connection, i, orders }, marketIds);
      return wireJson(path, trader.credential, order);
    }),
  );
}

/** The same orders in batches. */
export function ordersInBatches(service: BenchService, marketIds: readonly string[]): RequestContender {
  const [connections, ordersPerBatch] = [BATCH_CONNECTIONS, ORDERS_PER_BATCH];
  const batches = Math.ceil(ordersPerConnection(service, connections) / ordersPerBatch);
  const batchOf = (connection: number, first: number): string => {
    const orders = Array.from({ length: ordersPerBatch }, (_, i) =>
      orderOf(service, { connection, i: first + i, orders: batches * ordersPerBatch }, marketIds),
    );
    return wireJson('/orders/batch', orders[0]!.trader.credential, {
      orders: orders.map(({ order }) => order),
    });
  };
  return {
    service,
    status: 200,
    connections: Array.from({ length: connections }, (_, connection) =>
      Array.from({ length: batches }, (__, i) => batchOf(connection, i * ordersPerBatch)),
    ),
  };
}

/** The same orders through sockets, one per message, with a number of each socket's messages in flight. */
export function ordersThroughSockets(
  service: BenchService,
  marketIds: readonly string[],
  sockets: number,
  inFlight: number,
): SocketContender {
  const ordersPerSocket = ordersPerConnection(service, sockets);
  return {
    service,
    // What stands for an acknowledgement with `data`.
    status: 200,
    namespace: '/account',
    inFlight,
    sockets: Array.from({ length: sockets }, (_, socket) => {
      const orders = Array.from({ length: ordersPerSocket }, (__, i) =>
        orderOf(service, { connection: socket, i, orders: ordersPerSocket }, marketIds),
      );
      return {
        token: orders[0]!.trader.token,
        messages: orders.map(({ order }) => JSON.stringify(['orders.place', order])),
      };
    }),
  };
}

/** As many as it takes for all connections together to have an order of every account. */
function ordersPerConnection({ workload }: Traders, connections: number): number {
  return Math.max(ORDERS_PER_CONNECTION_LEAST, Math.ceil((2 * workload.accountsPerSide) / connections));
}

/** The `i`th of the `orders` of one connection. */
interface Place {
  readonly connection: number;
  readonly i: number;
  readonly orders: number;
}

function orderOf<Each extends Trader>(
  { workload, buyers, sellers }: Traders<Each>,
  { connection, i, orders }: Place,
  marketIds: readonly string[],
) {
  const isOffer = connection % 2 === 0;
  const traders = isOffer ? sellers : buyers;
  const pair = connection >> 1;
  const trader = traders[(pair * orders + i) % traders.length]!;
  const level = isOffer ? (pair + i) % OFFERED_LEVELS : OFFERED_LEVELS - 1;
  const { keyEvery } = workload;
  const order = {
    market_id: marketIds[(pair * orders + i) % marketIds.length]!,
    side: isOffer ? 'sell' : 'buy',
    type: 'limit',
    price: ((MIDDLE_TICKS + level) / 100).toFixed(2),
    size: SIZES[(i + (isOffer ? 0 : 1)) % SIZES.length]!,
    time_in_force: 'GTC',
    account_id: trader.accountId,
    ...(keyEvery !== null && i % keyEvery === 0 && { client_order_id: `bench-${SERIAL}` }),
  };
  return { trader, order };
}
