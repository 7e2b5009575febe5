/** Replacing a live order by another one. */
import { invariant } from '../invariant.js';
import { hasExpired } from '../matching/match-plan.js';
import type { CommandResult, Refusal, ReplaceOrder } from './commands.js';
import { accountOf, type Context, isRefusal, refusal } from './context.js';
import { endOrder } from './execution.js';
import { acceptOrder, admitOrder, checkTerms, orderFrom, type RequestedOrder } from './acceptance.js';
import { cancel } from './entering.js';
import { settle } from './list-following.js';
import { carryOut, liveOrder, orderNotOpen } from './orders.js';
import { checkAllowance, givenBackBy, takeAccepted } from './self-limits.js';
import type { Order } from './state.js';
import type { StatusReason } from './types.js';

/**
 * Cancels the order, whose hold is then free for the new one, and places that. What the new order meets in the book,
 * the money and the room are found after the cancellation: an order that fails there is `rejected` under the refusal's
 * code, and the first one stays cancelled. Whoever replaces an order wants it out of the book first of all.
 */
export function replaceOrder(context: Context, command: ReplaceOrder): CommandResult | Refusal {
  const replacement = checkReplacement(context, command);
  if (isRefusal(replacement)) return replacement;
  const { replaced, request } = replacement;
  const given = givenBackBy(accountOf(context.state, replaced.accountId), replaced);
  cancel(context, replaced, 'replaced');
  settle(context);
  checkReleased(replaced);
  const accepted = acceptOrder(context, request, given);
  if (!isRefusal(accepted)) {
    takeAccepted(context, command.allowance, accepted, given);
    return { ...carryOut(context, accepted), replaced: replaced.snapshot() };
  }
  const rejected = orderFrom(context, request, replaced.market);
  endOrder(context, rejected, 'rejected', accepted.code as StatusReason);
  settle(context);
  return { type: 'order', order: rejected.snapshot(), fills: [], replaced: replaced.snapshot() };
}

/** The new order may need all that the first one has held. */
function checkReleased({ orderId, isLive, held }: Order): void {
  invariant(!isLive && held === 0n, 'an order that is replaced holds nothing any more', orderId, held);
}

interface Replacement {
  /** The order that is to go. */
  readonly replaced: Order;
  /** The new order, with its own size. */
  readonly request: RequestedOrder;
}

/** What is to happen, or why nothing may happen. */
export function checkReplacement(context: Context, command: ReplaceOrder): Replacement | Refusal {
  const admitted = admitOrder(context, command);
  if (isRefusal(admitted)) return admitted;
  const { market, account } = admitted;
  // The size of one that counts what was filled is known once the order is found.
  const outside = command.countsFilled === true ? null : checkTerms(market, command);
  if (outside !== null) return outside;
  const replaced = liveOrder(context.state, command.accountId, command.replacedOrderId);
  if (isRefusal(replaced)) return replaced;
  if (replaced.market !== market || hasExpired(replaced, context.timeMs)) return orderNotOpen();
  const request = command.countsFilled === true ? remainderOf(command, replaced) : command;
  if (isRefusal(request)) return request;
  // Whether the allowance is the latest; how much it leaves is asked once the order has its place.
  return checkAllowance(account, command.allowance, () => 0n) ?? { replaced, request };
}

/** The order for what is left of a total. */
function remainderOf(command: ReplaceOrder, { filledLots, market }: Order): RequestedOrder | Refusal {
  const request = { ...command, sizeLots: command.sizeLots - filledLots };
  if (request.sizeLots <= 0) {
    return refusal('size_below_filled', 'The order has filled total_size already.');
  }
  return checkTerms(market, request) ?? request;
}
