/**
 * Stops wait for the last trade's price: buys for a rise to their stop price, sells for a fall.
 * What triggers together runs in order of acceptance, inside the command that caused it; one command
 * runs a bounded number, the rest follows in the next.
 */
import type { EngineState, Market, Order } from './state.js';

export const TRIGGERS_PER_COMMAND_MAX = 100;

export function addStop(market: Market, order: Order): void {
  const stops = order.side === 'buy' ? market.buyStops : market.sellStops;
  stops.splice(placeOf(stops, order), 0, order);
}

export function removeStop(state: EngineState, order: Order): void {
  const { market } = order;
  for (const waiting of [order.side === 'buy' ? market.buyStops : market.sellStops, market.triggered]) {
    const index = waiting.indexOf(order);
    if (index >= 0) waiting.splice(index, 1);
  }
  if (market.triggered.length === 0) state.triggersWaiting.delete(market);
}

/**
 * Moves all stops that a trade has reached into the queue of the triggered. Every trade counts, also
 * one in the middle of a sweep that a later trade of the same command has left behind.
 */
export function collectTriggered(market: Market, onTriggered: (order: Order) => void): void {
  if (market.lastPriceTicks === null) return;
  const { buyStops, sellStops, tradedRange } = market;
  const highTicks = Math.max(market.lastPriceTicks, tradedRange.highTicks);
  const lowTicks = Math.min(market.lastPriceTicks, tradedRange.lowTicks);
  tradedRange.highTicks = -Infinity;
  tradedRange.lowTicks = Infinity;

  while (buyStops.length > 0 && buyStops[0]!.stopPriceTicks! <= highTicks) {
    onTriggered(queueTriggered(market, buyStops.shift()!));
  }
  while (sellStops.length > 0 && sellStops[0]!.stopPriceTicks! >= lowTicks) {
    onTriggered(queueTriggered(market, sellStops.shift()!));
  }
}

export function queueTriggered(market: Market, order: Order): Order {
  let index = market.triggered.length;
  while (index > 0 && market.triggered[index - 1]!.orderId > order.orderId) index--;
  market.triggered.splice(index, 0, order);
  return order;
}

/** First in the array is the first that a moving price reaches; equal prices in order of acceptance. */
function placeOf(stops: readonly Order[], order: Order): number {
  const direction = order.side === 'buy' ? 1 : -1;
  let low = 0;
  let high = stops.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = stops[middle]!;
    const difference = direction * (other.stopPriceTicks! - order.stopPriceTicks!);
    if (difference < 0 || (difference === 0 && other.orderId < order.orderId)) low = middle + 1;
    else high = middle;
  }
  return low;
}
