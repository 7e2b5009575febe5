/** Placing and cancelling order lists. */
import {
  type Acceptance,
  acceptOrder,
  admitOrder,
  checkTerms,
  noMatch,
  orderFrom,
  type RequestedOrder,
} from './acceptance.js';
import { invariant } from '../invariant.js';
import type { CancelOrderList, CommandResult, PlaceOrderList, Refusal } from './commands.js';
import { accountOf, type Context, isRefusal, refusal } from './context.js';
import { cancel, enter } from './entering.js';
import { markChanged } from './execution.js';
import { settle } from './list-following.js';
import { checkListLimits } from './limits.js';
import { runTriggered } from './orders.js';
import { checkFeeRates } from './fee-rates.js';
import { checkPositionRoom } from './room.js';
import { openedBy, takeAllowance } from './self-limits.js';
import type { Order } from './state.js';
import { addStop } from './stops.js';

/** What a list will do at once. */
export interface AcceptedList {
  /** Those that are placed at once: the entry, or else both exits. */
  readonly accepted: readonly Acceptance[];
  /** The exits of an entry, which wait for it. */
  readonly waiting: readonly Order[];
  /** The most that the list may open. */
  readonly opened: () => bigint;
}

export function placeOrderList(context: Context, command: PlaceOrderList): CommandResult | Refusal {
  const list = acceptOrderList(context, command);
  if (isRefusal(list)) return list;
  const { state, changes } = context;
  const { accepted, waiting } = list;
  const account = accountOf(state, command.accountId);
  if (command.allowance !== undefined) takeAllowance(context, account, command.allowance, list.opened);

  const tradesBefore = changes.trades.length;
  const orders = [...accepted.map(({ order }) => order), ...waiting];
  state.sequence += orders.length;
  for (const order of orders) {
    invariant(
      order.listId === context.sequence &&
        order.orderId > context.sequence &&
        order.orderId <= state.sequence,
      'the orders of a list are numbered with it',
      order.orderId,
      order.listId,
    );
    state.indexOrder(order);
    markChanged(context, order);
  }
  for (const acceptance of accepted) {
    if (acceptance.order.status === 'untriggered') addStop(acceptance.order);
    else enter(context, acceptance);
  }
  settle(context);
  runTriggered(context, orders[0]!.market);
  const ids = new Set(orders.map(({ orderId }) => orderId));
  const isOfList = (trade: { readonly takerOrderId: number; readonly makerOrderId: number }): boolean =>
    ids.has(trade.takerOrderId) || ids.has(trade.makerOrderId);
  return {
    type: 'order_list',
    listId: context.sequence,
    orders: orders.map((order) => order.snapshot()),
    fills: changes.trades.slice(tradesBefore).filter(isOfList),
  };
}

/**
 * Checks a list in the order in which errors are reported: market and account, frozen, status, expiry, how many orders
 * there are, sizes and prices of each, and then each order that is placed at once as if it came alone. Changes nothing.
 */
export function acceptOrderList(context: Context, command: PlaceOrderList): AcceptedList | Refusal {
  const { accountId, marketId, entry, clientListId, allowance } = command;
  const wanted = entry === null ? command.exits : [entry, ...command.exits];
  const requests = wanted.map((listed, index): RequestedOrder => ({
    ...listed,
    accountId,
    marketId,
    clientOrderId: null,
    ...(allowance !== undefined && { allowance }),
    orderId: context.sequence + index + 1,
    place: {
      listId: context.sequence,
      listRole: listed === entry ? 'entry' : 'exit',
      clientListId,
    },
  }));
  const admitted = admitOrder(context, requests[0]!);
  if (isRefusal(admitted)) return admitted;
  const { account, market } = admitted;
  const tooMany = checkListLimits(context, account, command);
  if (tooMany !== null) return tooMany;
  for (const request of requests) {
    const outside = checkFeeRates(request.feeRates) ?? checkTerms(market, request);
    if (outside !== null) return outside;
  }
  if (entry !== null) return acceptBracket(context, requests);
  const [limit, stop] = command.exits;
  const noRoom = checkPositionRoom(
    context,
    account.positionIn(market),
    limit.side,
    limit.sizeLots + stop.sizeLots,
  );
  if (noRoom !== null) return noRoom;
  const accepted: Acceptance[] = [];
  for (const request of requests) {
    const acceptance = acceptOrder(context, request);
    if (isRefusal(acceptance)) return acceptance;
    accepted.push(acceptance);
  }
  return { accepted, waiting: [], opened: () => most(accepted.map((each) => openedBy(account, each))) };
}

function acceptBracket(
  context: Context,
  [entry, ...exits]: readonly RequestedOrder[],
): AcceptedList | Refusal {
  const account = accountOf(context.state, entry!.accountId);
  const market = context.state.markets.get(entry!.marketId)!;
  const waiting = exits.map((request) => orderFrom(context, request, market));
  const openedByExits = most(
    waiting.map((order) => openedBy(account, { order, plan: noMatch(order), killed: null })),
  );
  const accepted = acceptOrder(context, entry!, -openedByExits);
  if (isRefusal(accepted)) return accepted;
  for (const order of waiting) {
    order.status = 'untriggered';
    order.statusReason = 'awaiting_entry';
    order.remainingLots = 0;
  }
  return { accepted: [accepted], waiting, opened: () => openedBy(account, accepted) + openedByExits };
}

function most(amounts: readonly bigint[]): bigint {
  return amounts.reduce((largest, amount) => (amount > largest ? amount : largest), 0n);
}

export function cancelOrderList(context: Context, command: CancelOrderList): CommandResult | Refusal {
  const orders = [...(context.state.lists.get(command.listId) ?? [])];
  if (orders[0]?.accountId !== command.accountId)
    return refusal('order_list_not_open', 'No order of such a list is open. All may have ended already.');
  for (const order of orders) cancel(context, order, 'requested');
  settle(context);
  invariant(!context.state.lists.has(command.listId), 'a list ends with its orders', command.listId);
  return { type: 'orders_cancelled', orderIds: orders.map(({ orderId }) => orderId) };
}
