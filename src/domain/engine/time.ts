/** What happens because time has passed: orders expire, markets open and close. */
import type { CommandResult } from './commands.js';
import type { Context } from './context.js';
import { settleHolds } from './holds.js';
import { changeStatus } from './markets.js';
import { expireOrder } from './orders.js';
import { Order } from './state.js';

export const DUE_PER_COMMAND_MAX = 1_000;

/** Handles what has fallen due, earliest first; a bounded number, the rest in the next command. */
export function advanceTime(context: Context): CommandResult {
  const { due } = context.state;
  for (let handled = 0; handled < DUE_PER_COMMAND_MAX; handled++) {
    const next = due.peek();
    if (next === undefined || next.dueMs > context.timeMs) break;
    due.remove(next);
    if (next instanceof Order) {
      expireOrder(context, next);
    } else if (next.kind === 'open') {
      if (next.market.status === 'scheduled') changeStatus(context, next.market, 'open');
    } else if (next.market.status !== 'closed' && next.market.status !== 'settled') {
      changeStatus(context, next.market, 'closed');
    }
  }
  settleHolds(context);
  return { type: 'done' };
}
