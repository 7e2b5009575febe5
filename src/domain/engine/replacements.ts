/** Replacing a live order by another one. */
import { hasExpired } from '../matching/match-plan.js';
import type { CommandResult, Refusal, ReplaceOrder } from './commands.js';
import { accountOf, type Context, isRefusal } from './context.js';
import { endOrder } from './execution.js';
import { acceptOrder, admitOrder, checkTerms, orderFrom } from './acceptance.js';
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
  const replaced = checkReplacement(context, command);
  if (isRefusal(replaced)) return replaced;
  const given = givenBackBy(accountOf(context.state, replaced.accountId), replaced);
  cancel(context, replaced, 'replaced');
  settle(context);
  const accepted = acceptOrder(context, command, given);
  if (!isRefusal(accepted)) {
    takeAccepted(context, command.allowance, accepted, given);
    return { ...carryOut(context, accepted), replaced: replaced.snapshot() };
  }
  const rejected = orderFrom(context, command, replaced.market);
  endOrder(context, rejected, 'rejected', accepted.code as StatusReason);
  settle(context);
  return { type: 'order', order: rejected.snapshot(), fills: [], replaced: replaced.snapshot() };
}

/** The order that is to go, or why nothing may happen. */
function checkReplacement(context: Context, command: ReplaceOrder): Order | Refusal {
  const admitted = admitOrder(context, command);
  if (isRefusal(admitted)) return admitted;
  const { market, account } = admitted;
  const outside = checkTerms(market, command);
  if (outside !== null) return outside;
  const order = liveOrder(context.state, command.accountId, command.replacedOrderId);
  if (isRefusal(order)) return order;
  if (order.market !== market || hasExpired(order, context.timeMs)) return orderNotOpen();
  // Whether the allowance is the latest; how much it leaves is asked once the order has its place.
  return checkAllowance(account, command.allowance, () => 0n) ?? order;
}
