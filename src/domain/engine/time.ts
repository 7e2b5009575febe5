/** Effects of time: orders expire, markets open and close. */
import type { AdvanceTime, CommandResult } from './commands.js';
import type { Context } from './context.js';
import { changeStatus } from './markets.js';
import { expireOrder } from './entering.js';
import { settle } from './list-following.js';
import { type MarketDue, Order } from './state.js';

export const DUE_PER_COMMAND_MAX = 1_000;

/** Processes a bounded number of due things, earliest first; the next command processes the rest. */
export function advanceTime(
  context: Context,
  { limit = DUE_PER_COMMAND_MAX, except = [] }: AdvanceTime,
): CommandResult {
  const { due } = context.state;
  const left: (Order | MarketDue)[] = [];
  for (let handled = 0; handled < limit;) {
    const next = due.peek();
    if (next === undefined || next.dueMs > context.timeMs) break;
    due.remove(next);
    if (except.includes(next.market.definition.marketId)) {
      left.push(next);
      continue;
    }
    handled++;
    if (next instanceof Order) {
      expireOrder(context, next);
    } else if (next.kind === 'open') {
      if (next.market.status === 'scheduled') changeStatus(context, next.market, 'open');
    } else if (next.market.status !== 'closed' && next.market.status !== 'settled') {
      changeStatus(context, next.market, 'closed');
    }
  }
  for (const entry of left) due.add(entry);
  settle(context);
  return { type: 'done' };
}
