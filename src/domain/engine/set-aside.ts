/** What would be without some orders: for previews of what follows their cancellation. */
import { accountOf, type Context } from './context.js';
import { isCovered, putTerms, releasedBy } from './holds.js';
import { addOpenLots, type Balance, countOrder, type EngineState, type Order } from './state.js';
import type { Side } from './types.js';

/**
 * Asks about an order of one side as if these live orders of one account and market were gone: out of the book, of what the account may still trade,
 * and of its holds. Afterwards everything is as it was, down to the places in queues. The indexes that nothing asked
 * here reads, such as expiries, are left alone.
 */
export function withoutOrders<T>(
  context: Context,
  orders: readonly [Order, ...Order[]],
  side: Side,
  ask: (context: Context) => T,
): T {
  const { state, bounds } = context;
  const releases = releasesOf(state, orders);
  const trailing = orders.filter((order) => order.bestTicks !== null && order.side === side).length;
  const restores = orders.map((order) => setAside(context, order));
  for (const { balance, released } of releases) balance.available += released;
  try {
    return ask({ ...context, bounds: { ...bounds, trailingStops: bounds.trailingStops + trailing } });
  } finally {
    for (const { balance, released } of releases) balance.available -= released;
    for (const restore of restores.reverse()) restore();
  }
}

interface Release {
  readonly balance: Balance;
  readonly released: bigint;
}

/** What becomes available without the orders, which may hold both assets of their market: an entry, and its exits. */
function releasesOf(state: EngineState, orders: readonly [Order, ...Order[]]): Release[] {
  const { balances } = accountOf(state, orders[0].accountId);
  return [...new Set(orders.map(({ heldAsset }) => heldAsset))].flatMap((asset) => {
    const balance = balances.get(asset);
    const holding = orders.filter(({ heldAsset }) => heldAsset === asset);
    return balance === undefined ? [] : [{ balance, released: releasedBy(state, holding) }];
  });
}

/** Takes one order out; returns what puts it back. */
function setAside({ state }: Context, order: Order): () => void {
  const { countedLots, level, market, previous, priceTicks, remainingLots, side } = order;
  const account = accountOf(state, order.accountId);
  const position = account.positionIn(market);
  const orders = position.ordersOf(side);
  const inOrder = [...orders];
  const covered = isCovered(order);

  if (level !== null) market.book.sideOf(side).remove(order);
  if (market.isEvent && covered) putTerms(position, order, priceTicks, 0);
  orders.delete(order.orderId);
  countOrder(account, position, order, -1);
  addOpenLots(position, side, -countedLots);
  return () => {
    addOpenLots(position, side, countedLots);
    countOrder(account, position, order, 1);
    orders.clear();
    for (const [orderId, each] of inOrder) orders.set(orderId, each);
    if (market.isEvent && covered) putTerms(position, order, priceTicks, remainingLots);
    if (level !== null) market.book.sideOf(side).putBack(order, previous);
  };
}
