/**
 * Stops wait for a price: buys for a rise to their stop price, sells for a fall.
 *
 * - By the last price: every trade counts, even if later trades have left its price. Commands that trade collect the
 *   stops reached, nearest price first, until the queue of triggered stops is full. If more stops were reached, the
 *   traded prices stay on the market as its pending range, and the rest is collected as room becomes free. A stop that is
 *   accepted meanwhile is also reached by the pending range.
 * - By the mark price, at which the order could trade: the best ask for buys, the best bid for sells. It counts when
 *   stops are collected, which follows every command that leaves such a stop reached. A side without orders reaches
 *   nothing.
 * - Trailing stops by the last price, too: each trade moves them, or triggers them at once; see `trailing-stops.ts`.
 *
 * Triggered stops run by turns; see `triggered-stops.ts`.
 */
import type { Context } from './context.js';
import type { EngineState, Market, Order } from './state.js';
import type { ReachedTicks } from './stop-queue.js';

export function addStop(order: Order): void {
  order.market.stops.add(order);
}

export function removeStop({ state, changes }: Context, order: Order): void {
  const heir = order.market.stops.remove(order);
  if (heir !== null) changes.trailed(heir);
  if (!isWaiting(order.market)) state.triggersWaiting.delete(order.market);
}

/** Whether the market has stops to collect or to run. */
export function isWaiting(market: Market): boolean {
  const { stops, pendingTicks } = market;
  return (
    stops.triggeredCount > 0 ||
    pendingTicks !== null ||
    stops.reachedBy('mark', markReached(market)) !== undefined
  );
}

function markReached({ book }: Market): ReachedTicks {
  return {
    highTicks: book.asks.best()?.priceTicks ?? -Infinity,
    lowTicks: book.bids.best()?.priceTicks ?? Infinity,
  };
}

/**
 * Adds the market to those that need a command for their stops, or removes it. It is added at the end, so that markets
 * take turns.
 */
export function noteWaiting(state: EngineState, market: Market): void {
  state.triggersWaiting.delete(market);
  noteReached(state, market);
}

/** The same, but a market that is among them keeps its turn. */
export function noteReached({ triggersWaiting, timeMs }: EngineState, market: Market): void {
  if (market.statusAt(timeMs) === 'open' && isWaiting(market)) triggersWaiting.add(market);
  else triggersWaiting.delete(market);
}

/** Moves trailing stops with a traded price, or into the queue of triggered stops. */
export function trail({ changes }: Context, market: Market, onTriggered: (order: Order) => void): void {
  const { stops } = market;
  const priceTicks = market.lastPriceTicks!;
  for (const order of stops.follow(priceTicks)) changes.trailed(order);
  const reached: Order[] = [];
  for (let order = stops.trailingReachedBy(priceTicks); order !== undefined;) {
    const heir = stops.remove(order);
    if (heir !== null) changes.trailed(heir);
    reached.push(order);
    order = stops.trailingReachedBy(priceTicks);
  }
  reached.sort((a, b) => a.orderId - b.orderId);
  for (const order of reached) {
    stops.addTriggered(order);
    onTriggered(order);
  }
}

/** Moves stops that prices have reached into the queue of triggered stops, as far as it has room. */
export function collectTriggered(
  context: Context,
  market: Market,
  onTriggered: (order: Order) => void,
): void {
  collectByLast(context, market, onTriggered);
  const { stops } = market;
  const reached = markReached(market);
  while (stops.triggeredCount < context.bounds.triggeredWaiting) {
    const order = stops.reachedBy('mark', reached);
    if (order === undefined) return;
    trigger(market, order, onTriggered);
  }
}

function collectByLast(
  { bounds, changes }: Context,
  market: Market,
  onTriggered: (order: Order) => void,
): void {
  if (market.lastPriceTicks === null) return;
  const { stops, tradedRange } = market;
  const lowTicks = Math.min(market.lastPriceTicks, tradedRange.lowTicks);
  const highTicks = Math.max(market.lastPriceTicks, tradedRange.highTicks);
  for (;;) {
    const order = stops.reachedBy('last', { lowTicks, highTicks });
    if (order === undefined) break;
    if (stops.triggeredCount >= bounds.triggeredWaiting) {
      market.tradedRange = { lowTicks, highTicks };
      changes.market(market);
      return;
    }
    trigger(market, order, onTriggered);
  }
  if (market.pendingTicks === null) return;
  market.clearTradedRange();
  changes.market(market);
}

function trigger({ stops }: Market, order: Order, onTriggered: (order: Order) => void): void {
  stops.remove(order);
  stops.addTriggered(order);
  onTriggered(order);
}
