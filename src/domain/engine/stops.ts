/**
 * Stops wait for the last trade's price: buys for a rise to their stop price, sells for a fall.
 * Every trade counts, also one that later trades have left behind.
 *
 * The commands that trade collect the stops that were reached, the nearest price first, until so many
 * wait for their turn as may. Of those that were collected the oldest runs first. Where more were reached,
 * the prices that were traded stay on the market as its pending range, and the rest is collected as room
 * comes free; a stop that is accepted meanwhile counts as reached by the pending range, too.
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

/** Whether stops of the market wait to be collected or to be run. */
export function isWaiting({ stops, pendingTicks }: Market): boolean {
  return stops.triggeredCount > 0 || pendingTicks !== null;
}

/** Keeps the market among those that ask for a command of their own, or out of them; behind the others, so that they take turns. */
export function noteWaiting({ triggersWaiting, timeMs }: EngineState, market: Market): void {
  triggersWaiting.delete(market);
  if (market.statusAt(timeMs) === 'open' && isWaiting(market)) triggersWaiting.add(market);
}

/** Moves stops that trades have reached into the queue of the triggered, as far as it has room. */
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
