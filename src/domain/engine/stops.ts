/**
 * Stops wait for the last trade's price: buys for a rise to their stop price, sells for a fall. Every trade counts,
 * even if later trades have left its price.
 *
 * Commands that trade collect the stops reached, nearest price first, until the queue of triggered stops is full. The
 * oldest collected stop runs first. If more stops were reached, the traded prices stay on the market as its pending
 * range, and the rest is collected as room becomes free. A stop that is accepted meanwhile is also reached by the
 * pending range.
 */
import type { Context } from './context.js';
import type { EngineState, Market, Order } from './state.js';

export function addStop(order: Order): void {
  order.market.stops.add(order);
}

export function removeStop(state: EngineState, order: Order): void {
  order.market.stops.remove(order);
  if (!isWaiting(order.market)) state.triggersWaiting.delete(order.market);
}

/** Whether the market has stops to collect or to run. */
export function isWaiting({ stops, pendingTicks }: Market): boolean {
  return stops.triggeredCount > 0 || pendingTicks !== null;
}

/**
 * Adds the market to those that need a command for their stops, or removes it. It is added at the end, so that markets
 * take turns.
 */
export function noteWaiting({ triggersWaiting, timeMs }: EngineState, market: Market): void {
  triggersWaiting.delete(market);
  if (market.statusAt(timeMs) === 'open' && isWaiting(market)) triggersWaiting.add(market);
}

/** Moves stops that trades have reached into the queue of triggered stops, as far as it has room. */
export function collectTriggered(
  { bounds, changes }: Context,
  market: Market,
  onTriggered: (order: Order) => void,
): void {
  if (market.lastPriceTicks === null) return;
  const { stops, tradedRange } = market;
  const lowTicks = Math.min(market.lastPriceTicks, tradedRange.lowTicks);
  const highTicks = Math.max(market.lastPriceTicks, tradedRange.highTicks);
  for (;;) {
    const order = stops.reachedBy(lowTicks, highTicks);
    if (order === undefined) break;
    if (stops.triggeredCount >= bounds.triggeredWaiting) {
      market.tradedRange = { lowTicks, highTicks };
      changes.market(market);
      return;
    }
    stops.remove(order);
    stops.addTriggered(order);
    onTriggered(order);
  }
  if (market.pendingTicks === null) return;
  market.clearTradedRange();
  changes.market(market);
}
