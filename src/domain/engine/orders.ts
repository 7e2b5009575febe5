/** Placing and cancelling orders, and running triggered stops. */
import { type Budget, hasExpired, type MatchPlan, planMatch } from '../matching/match-plan.js';
import { amount, amountOf } from '../money/amount.js';
import type { CancelAllOrders, CancelOrder, CommandResult, PlaceOrder, Refusal } from './commands.js';
import {
  ACCOUNT_FROZEN,
  ACCOUNT_NOT_FOUND,
  accountOf,
  type Context,
  isRefusal,
  MARKET_NOT_FOUND,
  refusal,
  traderOf,
} from './context.js';
import { endOrder, executePlan, hiddenLotsOf, markChanged } from './execution.js';
import { checkLimitFunds, checkMarketFunds } from './funds.js';
import { settleHolds } from './holds.js';
import { checkLimits } from './limits.js';
import { checkMarketRoom, checkPositionRoom } from './room.js';
import { checkAllowance, openedBy, takeAccepted } from './self-limits.js';
import { Spending } from './spending.js';
import { Order, type Account, type EngineState, type Market, type Position } from './state.js';
import { advancedTerms } from './trading.js';
import { addStop, collectTriggered, noteWaiting, removeStop } from './stops.js';
import type { AdvancedTerms, StatusReason, Trade } from './types.js';

type OrderResult = Extract<CommandResult, { type: 'order' }>;

/** An order as a command asks for it. */
export type RequestedOrder = Omit<PlaceOrder, 'type'>;

/** What an accepted order will do at once, computed before anything changes. */
export interface Acceptance {
  readonly order: Order;
  readonly plan: MatchPlan<Order>;
  /** Set if the order is accepted but ends at once without trading. */
  readonly killed: StatusReason | null;
}

/**
 * Checks an order in the order in which errors are reported: market and account, frozen, status, expiry,
 * size, price, notional, reduce-only, funds, post-only, the owner's own limits. `given` is what they gave back for it.
 */
export function acceptOrder(context: Context, command: RequestedOrder, given = 0n): Acceptance | Refusal {
  const admitted = admitOrder(context, command);
  if (isRefusal(admitted)) return admitted;
  const { market, account } = admitted;
  const tooMany = checkLimits(context, account, command);
  if (tooMany !== null) return tooMany;
  const outside = checkTerms(market, command);
  if (outside !== null) return outside;

  const order = orderFrom(context, command, market);
  const unsized = command.quoteSize === undefined ? null : sizeBy(context, order, command.quoteSize);
  if (unsized !== null) return unsized;
  const isStop = order.status === 'untriggered';
  const noRoom =
    checkPositionRoom(context, account.positionIn(market), order.side, order.sizeLots) ??
    (isStop ? null : checkMarketRoom(context, order, order.sizeLots));
  if (noRoom !== null) return noRoom;
  if (order.reduceOnly && account.positionIn(market).reducibleBy(order.side) === 0) {
    return refusal(
      'reduce_only_violated',
      'There is no opposite position to reduce. Leave reduce_only out to open one.',
    );
  }
  const short = order.hasPrice ? checkLimitFunds(context, account, order) : null;
  if (short !== null) return short;
  const accepted = isStop ? { order, plan: noMatch(order), killed: null } : planOrder(context, order);
  if (isRefusal(accepted)) return accepted;
  return checkAllowance(account, command.allowance, () => openedBy(account, accepted) - given) ?? accepted;
}

/** Whether the account may trade on the market now, until when the order says. */
export function admitOrder(
  { state, timeMs }: Context,
  command: RequestedOrder,
): { readonly market: Market; readonly account: Account } | Refusal {
  const market = state.markets.get(command.marketId);
  if (market === undefined) return MARKET_NOT_FOUND;
  const account = traderOf(state, command.accountId);
  if (account === undefined) return ACCOUNT_NOT_FOUND;
  if (account.frozen) return ACCOUNT_FROZEN;
  const status = market.statusAt(timeMs);
  if (status !== 'open') {
    return refusal('market_not_open', `The market is ${status}. Orders are taken while it is open.`);
  }
  if (command.expiresAtMs !== null && command.expiresAtMs <= timeMs) {
    return refusal('already_expired', 'expires_at has passed. Send a time in the future.');
  }
  return { market, account };
}

/** Plans the matching of an order whose limit is already funded; also used for stops that have just triggered. */
export function planOrder(context: Context, order: Order): Acceptance | Refusal {
  if (order.postOnly && wouldCross(order, context.timeMs)) {
    return refusal(
      'post_only_would_cross',
      'The order would trade at once. Move its price, or leave post_only out.',
    );
  }
  const plan = walkBook(context, order, null);
  if (order.timeInForce === 'FOK' && plan.filledLots < order.remainingLots) {
    return { order, plan: noMatch(order), killed: 'fok_not_filled' };
  }
  if (!order.hasPrice) {
    const short = checkMarketFunds(context, order, plan);
    if (short !== null) return short;
  }
  return { order, plan, killed: null };
}

function walkBook({ state, timeMs }: Context, order: Order, budget: Budget | null): MatchPlan<Order> {
  return planMatch(
    order.market.book.oppositeOf(order.side),
    {
      accountId: order.accountId,
      side: order.side,
      timeMs,
      limitTicks: limitOf(order),
      lots: order.remainingLots,
      selfTradePrevention: order.selfTradePrevention,
      reducibleLots: order.reduceOnly ? reducible(state, order) : Infinity,
      budget,
    },
    (maker) => reducible(state, maker),
  );
}

/** Gives a market order the size that the book gives for its amount of the quote asset. */
function sizeBy(context: Context, order: Order, quoteSize: string): Refusal | null {
  const plan = walkBook(context, order, new Spending(order, amountOf(quoteSize)));
  if (plan.filledLots >= order.market.definition.minSizeLots) {
    order.sizeLots = plan.filledLots;
    order.remainingLots = plan.filledLots;
    return null;
  }
  return plan.remainingLots === 0
    ? refusal('size_out_of_range', "quote_size pays for less than the market's min_size.")
    : refusal('insufficient_liquidity', "The orders of others give less than the market's min_size.");
}

export function placeOrder(context: Context, command: PlaceOrder): CommandResult | Refusal {
  const accepted = acceptOrder(context, command);
  if (isRefusal(accepted)) return accepted;
  takeAccepted(context, command.allowance, accepted);
  return carryOut(context, accepted);
}

/** Executes an acceptance and its consequences: holds, and stops that its trades trigger. */
export function carryOut(context: Context, accepted: Acceptance): OrderResult {
  const { order } = accepted;
  const tradesBefore = context.changes.trades.length;
  context.state.indexOrder(order);
  if (order.status === 'untriggered') {
    addStop(order);
    markChanged(context, order);
  } else {
    enter(context, accepted);
  }
  settleHolds(context);
  runTriggered(context, order.market);
  return result(context, order, tradesBefore);
}

/** The order after the command, with the trades that it made. Stops that it triggered may have filled its remainder. */
export function result(context: Context, order: Order, tradesBefore: number): OrderResult {
  const { trades } = context.changes;
  const fills: Trade[] = [];
  for (let index = tradesBefore; index < trades.length; index++) {
    const trade = trades[index]!;
    if (trade.takerOrderId === order.orderId || trade.makerOrderId === order.orderId) fills.push(trade);
  }
  return { type: 'order', order: order.snapshot(), fills };
}

/** The status of an accepted order after its plan. */
export interface Ending {
  readonly status: 'open' | 'partially_filled' | 'filled' | 'cancelled';
  readonly reason: StatusReason | null;
}

export function endingOf({ order, plan, killed }: Acceptance): Ending {
  const filledLots = order.filledLots + plan.filledLots;
  if (killed !== null) return { status: 'cancelled', reason: killed };
  if (plan.remainingLots === 0) {
    if (filledLots === order.sizeLots) return { status: 'filled', reason: null };
    return { status: 'cancelled', reason: 'self_trade' };
  }
  if (plan.stopped !== null) return { status: 'cancelled', reason: plan.stopped };
  if (!order.hasPrice) return { status: 'cancelled', reason: 'no_liquidity' };
  if (order.timeInForce === 'IOC') return { status: 'cancelled', reason: 'ioc_remainder' };
  return { status: filledLots > 0 ? 'partially_filled' : 'open', reason: null };
}

/** Executes an acceptance: trades, then rests or ends the remainder. */
export function enter(context: Context, acceptance: Acceptance): void {
  const { order, plan } = acceptance;
  const { status, reason } = endingOf(acceptance);
  executePlan(context, order, plan);
  if (status === 'filled' || status === 'cancelled') {
    endOrder(context, order, status, reason);
  } else {
    order.status = status;
    rest(context, order);
  }
}

function rest(context: Context, order: Order): void {
  order.hiddenLots = hiddenLotsOf(order);
  order.market.book.sideOf(order.side).add(order);
  markChanged(context, order);
  context.changes.level(order.market, order.side, order.priceTicks);
}

/** Runs triggered stops, oldest first; their trades may trigger more. */
export function runTriggered(context: Context, market: Market): void {
  const noteTriggered = (order: Order): void => {
    order.statusReason = 'triggered';
    markChanged(context, order);
  };
  collectTriggered(context, market, noteTriggered);
  const isOpen = (): boolean => market.statusAt(context.timeMs) === 'open';
  for (let run = 0; run < context.bounds.triggersPerCommand && isOpen(); run++) {
    const order = market.stops.takeTriggered();
    if (order === undefined) break;
    if (hasExpired(order, context.timeMs)) {
      endOrder(context, order, 'expired', null);
      settleHolds(context);
      continue;
    }
    context.state.startStop(order);
    order.queueSequence = ++context.state.sequence;
    const lost = order.reduceOnly && reducible(context.state, order) === 0;
    const noRoom = checkMarketRoom(context, order, order.remainingLots);
    const accepted = lost ? refusal('reduce_only_violated', '') : (noRoom ?? planOrder(context, order));
    if (isRefusal(accepted)) endOrder(context, order, 'rejected', accepted.code as StatusReason);
    else enter(context, accepted);
    collectTriggered(context, market, noteTriggered);
    settleHolds(context);
  }
  noteWaiting(context.state, market);
}

export function cancelOrder(context: Context, command: CancelOrder): CommandResult | Refusal {
  const order = liveOrder(context.state, command.accountId, command.orderId);
  if (isRefusal(order)) return order;
  cancel(context, order, 'requested');
  settleHolds(context);
  return { type: 'order', order: order.snapshot(), fills: [] };
}

export function cancelAllOrders(context: Context, command: CancelAllOrders): CommandResult | Refusal {
  const account = context.state.accounts.get(command.accountId);
  if (account === undefined) return ACCOUNT_NOT_FOUND;
  if (command.marketId !== null && !context.state.markets.has(command.marketId)) {
    return MARKET_NOT_FOUND;
  }
  const orders = liveOrdersOf(account, command.marketId);
  for (const order of orders) cancel(context, order, 'requested');
  settleHolds(context);
  return { type: 'orders_cancelled', orderIds: orders.map((order) => order.orderId) };
}

export function cancel(context: Context, order: Order, reason: StatusReason): void {
  if (order.status === 'untriggered') removeStop(context.state, order);
  endOrder(context, order, 'cancelled', reason);
}

export function expireOrder(context: Context, order: Order): void {
  if (order.status === 'untriggered') removeStop(context.state, order);
  endOrder(context, order, 'expired', null);
}

/** Live orders of an account in order of acceptance. */
export function liveOrdersOf(account: Account, marketId: string | null): Order[] {
  const orders: Order[] = [];
  for (const position of account.positions.values()) {
    if (marketId !== null && position.market.definition.marketId !== marketId) continue;
    orders.push(...position.buys.values(), ...position.sells.values());
  }
  return orders.sort((a, b) => a.orderId - b.orderId);
}

export function liveOrder(state: EngineState, accountId: number, orderId: number): Order | Refusal {
  const order = state.orders.get(orderId);
  if (order === undefined || order.accountId !== accountId) {
    return orderNotOpen();
  }
  return order;
}

export function orderNotOpen(): Refusal {
  return refusal(
    'order_not_open',
    'There is no such open order. It may be filled, cancelled or expired already.',
  );
}

export function orderFrom(context: Context, command: RequestedOrder, market: Market): Order {
  const order = new Order({
    orderId: context.sequence,
    accountId: command.accountId,
    market,
    clientOrderId: command.clientOrderId,
    side: command.side,
    type: command.orderType,
    timeInForce: command.timeInForce,
    priceTicks: command.priceTicks ?? NaN,
    stopPriceTicks: command.stopPriceTicks,
    sizeLots: command.sizeLots,
    postOnly: command.postOnly,
    reduceOnly: command.reduceOnly,
    selfTradePrevention: command.selfTradePrevention,
    expiresAtMs: command.timeInForce === 'GTD' ? command.expiresAtMs : null,
    feeRates:
      command.feeRates === null
        ? market.changedFeeRates
        : { maker: amountOf(command.feeRates.maker), taker: amountOf(command.feeRates.taker) },
    advanced: advancedTermsOf(command),
    createdAtMs: context.timeMs,
  });
  if (command.orderType === 'stop' || command.orderType === 'stop_limit') order.status = 'untriggered';
  return order;
}

function advancedTermsOf({ quoteSize, displayLots }: RequestedOrder): AdvancedTerms | null {
  return advancedTerms({
    quoteSize: quoteSize === undefined ? null : amount(amountOf(quoteSize)),
    displayLots: displayLots ?? null,
  });
}

export interface Terms {
  readonly sizeLots: number;
  readonly priceTicks: number | null;
  readonly stopPriceTicks: number | null;
  readonly displayLots?: number | undefined;
}

/** An order that shows less would fall into too many trades. */
const PARTS_MAX = 100;

/** Checks the market's own bounds. Prices and sizes are already whole ticks and lots. */
export function checkTerms(market: Market, terms: Terms): Refusal | null {
  const { minSizeLots, maxSizeLots, priceMinTicks, priceMaxTicks, minNotional } = market.definition;
  if (!(terms.sizeLots >= minSizeLots && terms.sizeLots <= maxSizeLots)) {
    return refusal('size_out_of_range', "size is outside the market's min_size and max_size.");
  }
  const { displayLots = terms.sizeLots } = terms;
  if (!(
    displayLots >= minSizeLots &&
    displayLots <= terms.sizeLots &&
    displayLots * PARTS_MAX >= terms.sizeLots
  )) {
    return refusal(
      'size_out_of_range',
      "display_size must lie between the market's min_size and size, and be a hundredth of size or more.",
    );
  }
  for (const ticks of [terms.priceTicks, terms.stopPriceTicks]) {
    if (ticks !== null && !(ticks >= priceMinTicks && ticks <= priceMaxTicks)) {
      return refusal('price_out_of_range', "price is outside the market's price_min and price_max.");
    }
  }
  if (terms.priceTicks !== null && market.notional(terms.priceTicks, terms.sizeLots) < minNotional) {
    return refusal('min_notional', "price times size is below the market's min_notional.");
  }
  return null;
}

function limitOf(order: Order): number {
  if (order.hasPrice) return order.priceTicks;
  return order.side === 'buy' ? Infinity : -Infinity;
}

/** Whether the order would match an order that has not expired. */
export function wouldCross(order: Pick<Order, 'market' | 'side' | 'priceTicks'>, timeMs: number): boolean {
  const opposite = order.market.book.oppositeOf(order.side);
  for (let index = opposite.levels.length - 1; index >= 0; index--) {
    const level = opposite.levels[index]!;
    if (!opposite.crosses(level, order.priceTicks)) return false;
    for (let maker = level.head; maker !== null; maker = maker.next) {
      if (!hasExpired(maker, timeMs)) return true;
    }
  }
  return false;
}

export function positionOf({ state }: Context, order: Order): Position {
  return accountOf(state, order.accountId).positionIn(order.market);
}

/** How many lots an order may trade before it would open a position. */
export function reducible(state: EngineState, order: Order): number {
  return accountOf(state, order.accountId).positionIn(order.market).reducibleBy(order.side);
}

export function noMatch(order: Order): MatchPlan<Order> {
  return { steps: [], filledLots: 0, remainingLots: order.remainingLots, stopped: null };
}
