/** Amending live orders. */
import { changedFields } from '../fields.js';
import { invariant } from '../invariant.js';
import { hasExpired } from '../matching/match-plan.js';
import type { AmendOrder, CommandResult, Refusal } from './commands.js';
import { ACCOUNT_FROZEN, accountOf, type Context, isRefusal, refusal } from './context.js';
import { hiddenLotsOf, markChanged } from './execution.js';
import { checkAmendFunds } from './funds.js';
import { checkTerms, planOrder, positionOf, wouldCross } from './acceptance.js';
import { cancel, enter } from './entering.js';
import { settle } from './list-following.js';
import { liveOrder, orderNotOpen, result, runTriggered } from './orders.js';
import { checkMarketRoom, checkPositionRoom } from './room.js';
import { checkAllowance, openedByAmendment, takeAmended } from './self-limits.js';
import type { Order } from './state.js';

/** An amendment that passed all checks, and its effect on the order. */
export interface Amendment {
  readonly order: Order;
  readonly priceTicks: number;
  readonly sizeLots: number;
  /** The lots left to trade under the new terms. */
  readonly remainingLots: number;
  /** Whether the order ends, keeps its place in the queue, or leaves the book and enters it again at the end. */
  readonly effect: 'ends' | 'stays' | 'moves';
}

/** Checks an amendment in the order in which errors are reported; changes nothing. */
export function checkAmendment(context: Context, command: AmendOrder): Amendment | Refusal {
  if (context.state.accounts.get(command.accountId)?.frozen === true) return ACCOUNT_FROZEN;
  const order = liveOrder(context.state, command.accountId, command.orderId);
  if (isRefusal(order)) return order;
  if (hasExpired(order, context.timeMs)) return orderNotOpen();
  const { market } = order;
  const status = market.statusAt(context.timeMs);
  if (status !== 'open') {
    return refusal('market_not_open', `The market is ${status}. Orders can only be cancelled.`);
  }
  if (command.priceTicks !== null && !order.hasPrice) {
    return refusal(
      'order_not_amendable',
      'The order has no limit price. Amend its size, or cancel it and place another.',
    );
  }
  if (order.statusReason === 'triggered') {
    return refusal('order_not_amendable', 'The stop has triggered and is about to run.');
  }
  if (order.awaitsEntry || (order.listId !== null && command.sizeLots !== null)) {
    return refusal(
      'order_not_amendable',
      'In an order list only prices can be amended, once the order is in the book or waits for its stop price.',
    );
  }
  const sizeLots = command.sizeLots ?? order.sizeLots;
  const priceTicks = command.priceTicks ?? order.priceTicks;
  /** Lots that self-trade prevention removed stay removed. */
  const removedLots = order.sizeLots - order.filledLots - order.remainingLots;
  const remainingLots = sizeLots - order.filledLots - removedLots;
  if (sizeLots < order.filledLots) {
    return refusal('size_below_filled', 'size is the new total and may not be below what is filled.');
  }
  if (remainingLots <= 0) return { order, priceTicks, sizeLots, remainingLots: 0, effect: 'ends' };
  const outside = checkTerms(market, {
    sizeLots,
    priceTicks: order.hasPrice ? priceTicks : null,
    stopPriceTicks: order.stopPriceTicks,
    displayLots: order.advanced?.displayLots ?? undefined,
  });
  if (outside !== null) return outside;
  const keepsPlace =
    order.status === 'untriggered' || (priceTicks === order.priceTicks && sizeLots <= order.sizeLots);
  const position = positionOf(context, order);
  const noRoom =
    checkPositionRoom(context, position, order.side, remainingLots - order.remainingLots) ??
    (keepsPlace ? null : checkMarketRoom(context, order, position.share, remainingLots, order.remainingLots));
  if (noRoom !== null) return noRoom;
  if (order.hasPrice) {
    const short = checkAmendFunds(context, order, priceTicks, remainingLots);
    if (short !== null) return short;
  }
  const account = accountOf(context.state, order.accountId);
  const beyond = checkAllowance(account, command.allowance, () =>
    openedByAmendment(account, { order, priceTicks, lots: remainingLots }),
  );
  if (beyond !== null) return beyond;
  if (keepsPlace) return { order, priceTicks, sizeLots, remainingLots, effect: 'stays' };
  if (order.postOnly && wouldCross({ market, side: order.side, priceTicks }, context.timeMs)) {
    return refusal('post_only_would_cross', 'The amended order would trade at once. Choose another price.');
  }
  return { order, priceTicks, sizeLots, remainingLots, effect: 'moves' };
}

/**
 * Changes the price, the total size, or both. Only a smaller size at the same price keeps the place in the queue. Any
 * other change removes the order from the book and enters it again; it trades as a taker where it crosses.
 */
export function amendOrder(context: Context, command: AmendOrder): CommandResult | Refusal {
  const amendment = checkAmendment(context, command);
  if (isRefusal(amendment)) return amendment;
  const tradesBefore = context.changes.trades.length;
  const { order } = amendment;
  if (command.fields !== undefined) {
    order.fields = changedFields(order.fields, command.fields);
    context.changes.fielded(order);
  }
  takeAmended(context, command.allowance, {
    order,
    priceTicks: amendment.priceTicks,
    lots: amendment.remainingLots,
  });
  switch (amendment.effect) {
    case 'ends':
      order.sizeLots = amendment.sizeLots;
      cancel(context, order, 'amended_to_filled');
      order.remainingLots = 0;
      settle(context);
      break;
    case 'stays':
      shrink(context, amendment);
      settle(context);
      break;
    case 'moves':
      move(context, amendment);
      runTriggered(context, order.market);
      break;
  }
  invariant(
    order.sizeLots === amendment.sizeLots && (order.isLive || order.held === 0n),
    'an amended order has its new size, and holds nothing where that has ended it',
    order.orderId,
    order.sizeLots,
    order.held,
  );
  return result(context, order, tradesBefore);
}

/** Gives an order its new terms in place; only an order outside the book may grow. */
function shrink(context: Context, { order, priceTicks, sizeLots, remainingLots }: Amendment): void {
  const { market } = order;
  if (order.level !== null) {
    context.changes.level(market, order.side, order.priceTicks);
    const side = market.book.sideOf(order.side);
    side.reduce(order, order.remainingLots - remainingLots);
    side.hide(order, hiddenLotsOf(order));
  }
  invariant(
    order.level === null || (order.remainingLots === remainingLots && order.priceTicks === priceTicks),
    'an order in the book keeps its price and does not grow in its place',
    order.orderId,
    order.remainingLots,
    remainingLots,
  );
  order.remainingLots = remainingLots;
  order.priceTicks = priceTicks;
  order.sizeLots = sizeLots;
  markChanged(context, order);
}

function move(context: Context, { order, priceTicks, sizeLots, remainingLots }: Amendment): void {
  const { market } = order;
  context.changes.level(market, order.side, order.priceTicks);
  market.book.sideOf(order.side).remove(order);
  order.priceTicks = priceTicks;
  order.sizeLots = sizeLots;
  order.remainingLots = remainingLots;
  order.queueSequence = context.sequence;
  markChanged(context, order);
  settle(context);
  const accepted = planOrder(context, order);
  invariant(!isRefusal(accepted), 'an amended order passes what was checked', order.orderId);
  enter(context, accepted);
  settle(context);
}
