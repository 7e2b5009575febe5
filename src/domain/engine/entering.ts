/** How orders enter the book, and leave it untraded. */
import { invariant } from '../invariant.js';
import { type Acceptance, endingOf } from './acceptance.js';
import { accountOf, type Context } from './context.js';
import { endOrder, executePlan, hiddenLotsOf, markChanged } from './execution.js';
import type { Order } from './state.js';
import { removeStop } from './stops.js';
import type { StatusReason } from './types.js';

/** Executes an acceptance: trades, then rests or ends the remainder. */
export function enter(context: Context, acceptance: Acceptance): void {
  const { order, plan } = acceptance;
  const { status, reason } = endingOf(acceptance);
  executePlan(context, order, plan);
  invariant(
    order.remainingLots === plan.remainingLots,
    'a plan is executed as it was checked',
    order.orderId,
    order.remainingLots,
    plan.remainingLots,
  );
  if (status === 'filled' || status === 'cancelled') {
    endOrder(context, order, status, reason);
  } else {
    order.status = status;
    rest(context, order);
  }
}

/** Puts what is left of an order at the end of its price's queue. */
export function rest(context: Context, order: Order): void {
  invariant(
    order.level === null && order.mayRest && order.isLive && order.status !== 'untriggered',
    'an order that rests is live, has a price, and is in no book yet',
    order.orderId,
    order.status,
  );
  order.hiddenLots = hiddenLotsOf(order);
  order.market.book.sideOf(order.side).add(order);
  markChanged(context, order);
  context.changes.level(order.market, order.side, order.priceTicks);
}

export function cancel(context: Context, order: Order, reason: StatusReason): void {
  if (order.status === 'untriggered') removeStop(context, order);
  endOrder(context, order, 'cancelled', reason);
}

export function expireOrder(context: Context, order: Order): void {
  invariant(
    order.expiresAtMs !== null && order.expiresAtMs <= context.timeMs,
    'an order expires once its time has come',
    order.orderId,
    order.expiresAtMs,
    context.timeMs,
  );
  if (order.status === 'untriggered') removeStop(context, order);
  endOrder(context, order, 'expired', null);
}

/** Cancels all quotes of makers whose protection the command has tripped; see `maker-protection.ts`. */
export function withdrawQuotes(context: Context): void {
  const { tripped } = context.unsettled;
  for (const accountId of tripped) {
    tripped.delete(accountId);
    const quotes = [...accountOf(context.state, accountId).massQuotes.values()];
    for (const order of quotes) cancel(context, order, 'maker_protection');
  }
}
