/**
 * Frozen accounts. Nothing of theirs trades or leaves: orders, quotes, amendments, holds and payments are
 * refused. Cancels work, money comes in, and what is on its way out already (a hold) is paid or released by
 * those who placed it, since the bank or the chain may have paid long ago.
 */
import type { CommandResult, MoveMoney, Refusal, SetAccountFrozen } from './commands.js';
import { type Context, refusal } from './context.js';
import { settleHolds } from './holds.js';
import { cancel, liveOrdersOf } from './orders.js';

/** Freezing cancels all live orders and waiting stops of the account; their money stays in it. */
export function setAccountFrozen(context: Context, command: SetAccountFrozen): CommandResult | Refusal {
  const account = context.state.accounts.get(command.accountId);
  // The accounts of the house carry what belongs to others.
  if (account === undefined || account.owner === null)
    return refusal('account_not_found', 'There is no such account of anybody.');
  account.frozen = command.frozen;
  context.changes.account(account);
  if (command.frozen) {
    for (const order of liveOrdersOf(account, null)) cancel(context, order, 'account_frozen');
    settleHolds(context);
  }
  return { type: 'done' };
}

/** What was paid in by mistake may still be taken back by the house, and fees of what was paid out before are due. */
export function mayLeaveFrozen({ state }: Context, { credit, reason }: MoveMoney): boolean {
  if (reason === 'reversal' || reason === 'adjustment') return true;
  return 'accountId' in credit && state.accounts.get(credit.accountId)?.kind === 'fees';
}
