/**
 * Frozen accounts cannot trade or send money: orders, quotes, amendments, holds and payments are refused. Cancels and
 * incoming money work. Money that is already on its way out (a hold) can still be paid or released, since the bank or
 * the chain may have paid it long ago.
 */
import { invariant } from '../invariant.js';
import type { CommandResult, MoveMoney, Refusal, SetAccountFrozen } from './commands.js';
import { type Context, refusal } from './context.js';
import { cancel } from './entering.js';
import { settle } from './list-following.js';
import { liveOrdersOf } from './orders.js';

/** Freezing cancels all live orders and waiting stops of the account; their money stays in it. */
export function setAccountFrozen(context: Context, command: SetAccountFrozen): CommandResult | Refusal {
  const account = context.state.accounts.get(command.accountId);
  // System accounts hold the money of others.
  if (account === undefined || account.owner === null)
    return refusal('account_not_found', 'There is no such account of anybody.');
  account.frozen = command.frozen;
  context.changes.account(account);
  if (command.frozen) {
    for (const order of liveOrdersOf(account, null)) cancel(context, order, 'account_frozen');
    settle(context);
    invariant(account.openOrders === 0, 'a frozen account has no live orders', account.accountId);
  }
  return { type: 'done' };
}

/** The house may still take back a mistaken deposit, and collect fees for earlier payouts. */
export function mayLeaveFrozen({ state }: Context, { credit, reason }: MoveMoney): boolean {
  if (reason === 'reversal' || reason === 'adjustment') return true;
  return 'accountId' in credit && state.accounts.get(credit.accountId)?.kind === 'fees';
}
