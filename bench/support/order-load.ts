import type { BenchService } from './bench-service.js';
import { wireRequest } from './load-generator.js';

/** The middle of every bench market, in ticks of 0.01. */
export const MIDDLE_TICKS = 60_000_00;
/** Sells are offered at so many prices from the middle on; buys take any of them. */
const OFFERED_LEVELS = 10;
const SIZES = ['0.001', '0.002', '0.003'] as const;
/** How many different requests a connection sends before it begins again. */
const REQUESTS_PER_CONNECTION = 60;

/**
 * Half of the connections offer, the other half takes: sizes differ, so that fills are partial as often
 * as whole, and as much is bought as is sold, so that the book stays small.
 */
export function orderLoad(
  service: BenchService,
  path: string,
  connections: number,
  marketIds: readonly string[],
): string[][] {
  return Array.from({ length: connections }, (_, connection) =>
    Array.from({ length: REQUESTS_PER_CONNECTION }, (__, i) => {
      const { token, ...order } = orderOf(service, connection, i, marketIds);
      return wireRequest(path, token, order);
    }),
  );
}

/** The same orders, so many in each request. */
export function batchLoad(
  service: BenchService,
  connections: number,
  ordersPerBatch: number,
  marketIds: readonly string[],
): string[][] {
  return Array.from({ length: connections }, (_, connection) =>
    Array.from({ length: 6 }, (__, batch) => {
      const orders = Array.from({ length: ordersPerBatch }, (___, i) =>
        orderOf(service, connection, batch * ordersPerBatch + i, marketIds),
      );
      return wireRequest('/orders/batch', orders[0]!.token, {
        orders: orders.map(({ token: _token, ...order }) => order),
      });
    }),
  );
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
