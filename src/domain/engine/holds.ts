/**
 * How much money each live order holds. A hold is recomputed whenever its order or the position behind it changes; the
 * same command releases the excess.
 *
 * In event markets a position covers opposite orders in their order of acceptance. Covered lots close the position, and
 * closing pays instead of costing, so they hold only their fee. When an order that was not covered fills first, earlier
 * orders lose cover. The proceeds of the fill, together with the filled order's own hold, always suffice for them:
 * (1−P)·f + p·f ≥ f for a sell filled at p ≥ P.
 */
import { invariant } from '../invariant.js';
import { mulDiv, UNITS_PER_ONE } from '../money/amount.js';
import { accountOf, type Context, empty } from './context.js';
import { changeHeld } from './ledger.js';
import { type Contracts, reducibleLots } from './position.js';
import type { EngineState, Market, Order, Position } from './state.js';
import type { Side } from './types.js';

/** The terms that determine an order's hold. */
export interface HoldTerms {
  readonly side: Side;
  readonly priceTicks: number;
  readonly lots: number;
  readonly coveredLots: number;
  readonly fees: bigint;
  readonly feeRounding: bigint;
  readonly makerFeeRate: bigint;
  readonly takerFeeRate: bigint;
}

export function requiredHold(market: Market, terms: HoldTerms): bigint {
  const { side, priceTicks, lots } = terms;
  if (!market.isEvent) {
    if (side === 'sell') return market.sizeOf(lots);
    return market.notional(priceTicks, lots) + feeHold(market, terms);
  }
  const openingLots = lots - terms.coveredLots;
  const notional = market.notional(priceTicks, openingLots);
  const opening = side === 'buy' ? notional : market.sizeOf(openingLots) - notional;
  return opening + feeHold(market, terms);
}

/** The maximum remaining fee of an order, at the higher of its two rates, which is never negative. */
function feeHold(market: Market, terms: HoldTerms): bigint {
  const rate = terms.makerFeeRate > terms.takerFeeRate ? terms.makerFeeRate : terms.takerFeeRate;
  if (rate === 0n) return 0n;
  return feeIncrease(terms, rate * market.feeBase(terms.priceTicks, terms.lots));
}

/**
 * The fee of the next part of an order. The total fee of an order is the exact sum rounded up once, so each part pays
 * the increase. `exact` is rate times base, in units of 10^-36.
 */
export function feeIncrease(charged: { readonly feeRounding: bigint }, exact: bigint): bigint {
  const uncharged = exact - charged.feeRounding;
  return uncharged <= 0n ? 0n : mulDiv(uncharged, 1n, UNITS_PER_ONE, 'up');
}

export function termsOf(
  order: Order,
  lots = order.remainingLots,
  coveredLots = order.coveredLots,
): HoldTerms {
  return {
    side: order.side,
    priceTicks: order.priceTicks,
    lots,
    coveredLots,
    fees: order.fees,
    feeRounding: order.feeRounding,
    makerFeeRate: order.makerFeeRate,
    takerFeeRate: order.takerFeeRate,
  };
}

/** Lots of a position that cover no live order of the opposite side. */
export function freeCover({ sizeLots, cover }: Contracts, side: Side): number {
  return Math.max(0, reducibleLots(sizeLots, side) - cover[side].totalLots);
}

/** Lots of a position of this size left to cover an order after earlier orders have taken their share. */
export function coverLeftFor(position: Position, order: Order, sizeLots = position.sizeLots): number {
  return Math.max(0, reducibleLots(sizeLots, order.side) - position.cover[order.side].lotsBefore(order));
}

/** Updates every hold that the command may have affected. */
export function settleHolds(context: Context): void {
  const { orders, positions } = context.unsettled;
  if (orders.size === 0 && positions.size === 0) return;
  for (const position of positions) {
    for (const order of ordersNewlyCovered(position)) orders.add(order);
  }
  for (const order of orders) settleHold(context, order);
  empty(orders);
  empty(positions);
}

/** Orders whose cover may have changed since it was last assigned, besides those that changed themselves. */
function ordersNewlyCovered(position: Position): Order[] {
  if (!position.market.isEvent) return [];
  const { buy, sell } = position.cover;
  return [...buy.cover(position.reducibleBy('buy')), ...sell.cover(position.reducibleBy('sell'))];
}

/** Recomputes all cover of a position from the position and its queues. */
export function shareOutCover(position: Position): void {
  for (const order of ordersNewlyCovered(position)) assignCover(position, order);
}

/** Gives an order of an event market its share of the cover. */
function assignCover(position: Position, order: Order): void {
  order.coveredLots = order.coverSlot < 0 ? 0 : Math.min(coverLeftFor(position, order), order.remainingLots);
}

function settleHold(context: Context, order: Order): void {
  if (order.market.isEvent) {
    assignCover(accountOf(context.state, order.accountId).positionIn(order.market), order);
  }
  const required = order.isLive && order.hasPrice ? holdOf(context, order) : 0n;
  if (required === order.held) return;
  invariant(
    required >= 0n && (order.isLive || required === 0n),
    'an order holds something while it is live, and never less than nothing',
    order.orderId,
    required,
  );
  const balance = accountOf(context.state, order.accountId).balanceOf(order.heldAsset);
  changeHeld(context, balance, required - order.held);
  order.held = required;
  context.changes.order(order);
}

function holdOf({ state }: Context, order: Order): bigint {
  const own = requiredHold(order.market, termsOf(order));
  return order.isStop ? beyond(own, otherExitNeeds(state, order)) : own;
}

/**
 * Of two exits on a spot market only one can trade, so together they hold the larger of what each needs: the stop holds
 * what it needs beyond the other. In event markets the stop of a list has no price, and so no hold.
 */
export function otherExitNeeds(state: EngineState, order: Order): bigint {
  if (!order.isExit || order.market.isEvent) return 0n;
  for (const other of state.othersInList(order)) {
    if (other.isExit && other.hasPrice) return requiredHold(other.market, termsOf(other));
  }
  return 0n;
}

/** By how much `a` is more than `b`. */
export function beyond(a: bigint, b: bigint): bigint {
  return a > b ? a - b : 0n;
}

/** Hypothetical terms of a live, priced order; with no lots the order would be gone. */
export interface OtherTerms {
  readonly order: Order;
  readonly priceTicks: number;
  readonly lots: number;
}

/**
 * The change of all holds of an account in an event market if its position had `sizeLots` and some orders had other
 * terms.
 */
export function holdDifference(position: Position, sizeLots: number, others: readonly OtherTerms[]): bigint {
  let fees = 0n;
  for (const { order, priceTicks, lots } of others) {
    fees +=
      feeHold(position.market, { ...termsOf(order, lots), priceTicks }) -
      feeHold(position.market, termsOf(order));
  }
  return openingDifference(position, sizeLots, others) + fees;
}

/** The part of `holdDifference` that is no fee: what the account's orders would pay to open contracts. */
export function openingDifference(
  position: Position,
  sizeLots: number,
  others: readonly OtherTerms[],
): bigint {
  const before = openingHold(position, position.sizeLots);
  for (const { order, priceTicks, lots } of others) putTerms(position, order, priceTicks, lots);
  const after = openingHold(position, sizeLots);
  for (const { order } of others) putTerms(position, order, order.priceTicks, order.remainingLots);
  return after - before;
}

/** The hold of orders for the lots they would open, after a position of this size has covered the first. */
function openingHold({ cover: { buy, sell } }: Position, sizeLots: number): bigint {
  const covered = buy.costOfFirst(Math.max(0, -sizeLots)) + sell.costOfFirst(Math.max(0, sizeLots));
  return buy.totalCost + sell.totalCost - covered;
}

/** How much less an account would hold, in the asset of the first, if these live orders of one market were gone. */
export function releasedBy(state: EngineState, orders: readonly Order[]): bigint {
  const [{ accountId, heldAsset, market }] = orders as readonly [Order];
  if (!market.isEvent)
    return orders.reduce((sum, order) => sum + (order.heldAsset === heldAsset ? order.held : 0n), 0n);
  const position = accountOf(state, accountId).positionIn(market);
  return -holdDifference(
    position,
    position.sizeLots,
    orders.filter(isCovered).map((order) => ({ order, priceTicks: order.priceTicks, lots: 0 })),
  );
}

/** Whether a live order has a place among those that its position covers, and so a hold that depends on it. */
export function isCovered({ hasPrice, coverSlot }: Order): boolean {
  return hasPrice && coverSlot >= 0;
}

export function putTerms({ market, cover }: Position, order: Order, priceTicks: number, lots: number): void {
  cover[order.side].put(order, lots, market.openingCost(order.side, priceTicks));
}
