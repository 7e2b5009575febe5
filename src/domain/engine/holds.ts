/**
 * How much money each live order holds. A hold is recomputed whenever its order or the position
 * behind it changes, the excess is released in the same command.
 *
 * In event markets a position covers opposite orders in their order of acceptance: covered lots
 * close, and closing pays instead of costing, so they hold only their fee. When an order that was
 * not covered is filled first, earlier orders lose cover; what the fill brings in, together with the
 * filled order's own hold, always suffices for them: (1−P)·f + p·f ≥ f for a sell filled at p ≥ P.
 */
import { mulDiv, UNITS_PER_ONE } from '../money/amount.js';
import { accountOf, type Context } from './context.js';
import { changeHeld } from './ledger.js';
import type { Market, Order, Position } from './state.js';
import type { Side } from './types.js';

/** The terms of an order on which its hold depends. */
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

/** The most that the rest of the order can still cost in fees, at the higher of its two rates. */
function feeHold(market: Market, terms: HoldTerms): bigint {
  const rate = terms.makerFeeRate > terms.takerFeeRate ? terms.makerFeeRate : terms.takerFeeRate;
  if (rate === 0n) return 0n;
  return feeIncrease(terms, rate * market.feeBase(terms.priceTicks, terms.lots));
}

/**
 * What the next part of an order is charged: the order's total fee is the exact sum rounded up once,
 * so each part pays the difference. `exact` is rate times base, in units of 10^-36.
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

/** Lots of a position that no live order of the opposite side has claimed yet. */
export function freeCover(position: Position, side: Side): number {
  const reducible = position.reducibleBy(side);
  return reducible === 0 ? 0 : Math.max(0, reducible - position.coveredLots);
}

/**
 * Lots of a position that are left to cover an order after those accepted before it have had their
 * share, once the order itself has traded `filledLots` of it.
 */
export function coverLeftFor(position: Position, order: Order, filledLots: number): number {
  let cover = position.reducibleBy(order.side) - filledLots;
  for (const other of position.ordersOf(order.side).values()) {
    if (cover <= 0 || other.orderId >= order.orderId) break;
    if (other.hasPrice) cover -= other.remainingLots;
  }
  return Math.max(0, cover);
}

/** Brings every hold that the command may have affected to what its order requires now. */
export function settleHolds(context: Context): void {
  const { orders, positions } = context.unsettled;
  for (const position of positions) {
    if (position.market.isEvent) assignCover(context, position);
  }
  for (const order of orders) settleHold(context, order);
  orders.clear();
  positions.clear();
}

/** Shares the position out among its opposite orders, oldest first; stops where nothing can differ any more. */
function assignCover(context: Context, position: Position): void {
  const oldCoveredOrders = position.coveredOrders;
  let seenCovered = 0;
  position.coveredLots = 0;
  position.coveredOrders = 0;
  for (const side of ['buy', 'sell'] as const) {
    let cover = position.reducibleBy(side);
    for (const order of position.ordersOf(side).values()) {
      if (cover === 0 && seenCovered >= oldCoveredOrders) break;
      if (!order.hasPrice) continue;
      if (order.coveredLots > 0) seenCovered++;
      const covered = Math.min(cover, order.remainingLots);
      cover -= covered;
      if (covered > 0) {
        position.coveredLots += covered;
        position.coveredOrders++;
      }
      if (covered !== order.coveredLots) {
        order.coveredLots = covered;
        context.unsettled.orders.add(order);
      }
    }
  }
}

function settleHold(context: Context, order: Order): void {
  const required = order.isLive && order.hasPrice ? requiredHold(order.market, termsOf(order)) : 0n;
  if (required === order.held) return;
  const balance = accountOf(context.state, order.accountId).balanceOf(order.heldAsset);
  changeHeld(context, balance, required - order.held);
  order.held = required;
  context.changes.order(order);
}

/**
 * What all live orders of an account in an event market would hold if its position had `sizeLots`,
 * with one order's terms replaced and lots taken off others. Walks the account's orders in this market.
 */
export function totalHold(
  position: Position,
  sizeLots: number,
  replaced: { readonly order: Order; readonly priceTicks: number; readonly lots: number } | null,
  takenLots: ReadonlyMap<Order, number>,
): bigint {
  let total = 0n;
  for (const side of ['buy', 'sell'] as const) {
    let cover = side === 'buy' ? Math.max(0, -sizeLots) : Math.max(0, sizeLots);
    for (const order of position.ordersOf(side).values()) {
      if (!order.hasPrice) continue;
      const isReplaced = replaced !== null && order === replaced.order;
      const lots = isReplaced ? replaced.lots : order.remainingLots - (takenLots.get(order) ?? 0);
      const covered = Math.min(cover, lots);
      cover -= covered;
      const terms = termsOf(order, lots, covered);
      total += requiredHold(
        position.market,
        isReplaced ? { ...terms, priceTicks: replaced.priceTicks } : terms,
      );
    }
  }
  return total;
}
