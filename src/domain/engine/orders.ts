/** Placing and cancelling orders, and running triggered stops. */
import { invariant } from '../invariant.js';
import { hasExpired } from '../matching/match-plan.js';
import { type Acceptance, acceptOrder, planOrder, positionOf, reducible } from './acceptance.js';
import type { CancelAllOrders, CancelOrder, CommandResult, PlaceOrder, Refusal } from './commands.js';
import { ACCOUNT_NOT_FOUND, type Context, isRefusal, MARKET_NOT_FOUND, refusal } from './context.js';
import { cancel, enter } from './entering.js';
import { endOrder, markChanged, noteTriggered } from './execution.js';
import { armExits, settle } from './list-following.js';
import { netFilled } from './netting.js';
import { checkMarketRoom } from './room.js';
import { takeAccepted } from './self-limits.js';
import type { Account, EngineState, Market, Order } from './state.js';
import { addStop, collectTriggered, noteWaiting } from './stops.js';
import type { StatusReason, Trade } from './types.js';

type OrderResult = Extract<CommandResult, { type: 'order' }>;

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
  invariant(
    order.filledLots === 0 && order.remainingLots === order.sizeLots && order.held === 0n,
    'an order that is accepted has done nothing yet',
    order.orderId,
    order.filledLots,
    order.held,
  );
  context.state.indexOrder(order);
  if (order.status === 'untriggered') {
    addStop(order);
    markChanged(context, order);
  } else {
    enter(context, accepted);
  }
  settle(context);
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

/** Arms exits and runs triggered stops, by turns; their trades may arm and trigger more. */
export function runTriggered(context: Context, market: Market): void {
  collect(context, market);
  market.stops.beginRound();
  const isOpen = (): boolean => market.statusAt(context.timeMs) === 'open';
  for (let run = 0; run < context.bounds.triggersPerCommand && isOpen(); run++) {
    const order = market.stops.takeTriggered(context.bounds.triggersPerTurn);
    if (order === undefined) break;
    if (hasExpired(order, context.timeMs)) {
      endOrder(context, order, 'expired', null);
      settle(context);
      continue;
    }
    context.state.startStop(order);
    order.queueSequence = ++context.state.sequence;
    invariant(
      order.filledLots === 0 && order.level === null,
      'a stop that runs has not traded',
      order.orderId,
      order.filledLots,
    );
    const lost = order.reduceOnly && reducible(context.state, order) === 0;
    const { share } = positionOf(context, order);
    const noRoom = checkMarketRoom(context, order, share, order.remainingLots);
    const accepted = lost ? refusal('reduce_only_violated', '') : (noRoom ?? planOrder(context, order));
    if (isRefusal(accepted)) endOrder(context, order, 'rejected', accepted.code as StatusReason);
    else enter(context, accepted);
    collect(context, market);
  }
  noteWaiting(context.state, market);
}

/** Moves what the last trades have armed and triggered into the queue of what is to run. */
function collect(context: Context, market: Market): void {
  settle(context);
  armExits(context);
  collectTriggered(context, market, (order) => noteTriggered(context, order));
  netFilled(context);
  settle(context);
}

export function cancelOrder(context: Context, command: CancelOrder): CommandResult | Refusal {
  const order = liveOrder(context.state, command.accountId, command.orderId);
  if (isRefusal(order)) return order;
  cancel(context, order, 'requested');
  settle(context);
  invariant(order.held === 0n, 'an order that is cancelled releases its hold', order.orderId, order.held);
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
  settle(context);
  return { type: 'orders_cancelled', orderIds: orders.map((order) => order.orderId) };
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
