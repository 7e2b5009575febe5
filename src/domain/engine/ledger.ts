/**
 * Double entry. Money moves only by `transfer`, which debits one account and credits another with the same amount, and
 * by `changeHeld`, between `available` and `held` of one balance. Within a command a balance may be negative for a
 * moment, but not at its end; see `invariants.ts`.
 */
import { invariant } from '../invariant.js';
import type { Amount } from '../money/amount.js';
import type { Context } from './context.js';
import { Account, type Balance } from './state.js';
import type { AccountKind, TransferReason } from './types.js';

/** How much of what is moved, and why. */
export interface TransferTerms {
  readonly asset: string;
  readonly units: bigint;
  readonly reason: TransferReason;
  readonly reference: string;
}

/** Moves a positive amount; zero moves nothing and leaves no row. Returns the transfer's id, or 0. */
export function transfer(
  context: Context,
  debit: Account,
  credit: Account,
  { asset, units, reason, reference }: TransferTerms,
): number {
  if (units === 0n) return 0;
  invariant(units > 0n, 'a transfer moves a positive amount', units, reason, debit.accountId);
  invariant(debit !== credit, 'a transfer goes to another account', reason, debit.accountId);
  const from = debit.balanceOf(asset);
  const to = credit.balanceOf(asset);
  from.available -= units;
  to.available += units;
  context.changes.balance(from);
  context.changes.balance(to);
  const transferId = ++context.state.sequence;
  context.changes.transfers.push({
    transferId,
    debitAccountId: debit.accountId,
    creditAccountId: credit.accountId,
    asset,
    amount: units as Amount,
    reason,
    reference,
    debitBalanceAfter: (from.available + from.held) as Amount,
    creditBalanceAfter: (to.available + to.held) as Amount,
    createdAtMs: context.timeMs,
  });
  return transferId;
}

/** Changes the held part of a balance; the difference comes from the available part. */
export function changeHeld(context: Context, balance: Balance, difference: bigint): void {
  if (difference === 0n) return;
  balance.held += difference;
  balance.available -= difference;
  invariant(balance.held >= 0n, 'no balance holds less than nothing', balance.accountId, balance.held);
  context.changes.balance(balance);
}

export function createAccount(
  context: Context,
  kind: AccountKind,
  name: string,
  owner: string | null,
  root: string | null = null,
): Account {
  const account = new Account({
    accountId: ++context.state.sequence,
    kind,
    name,
    owner,
    root,
    kycLevel: 0,
    frozen: false,
    limitsSequence: null,
    limitsBase: null,
    limitsTaken: null,
    createdAtMs: context.timeMs,
  });
  context.state.addAccount(account);
  context.changes.newAccounts.push(account);
  return account;
}

/** The account of the outside world behind a rail; the only kind that may be negative. */
export function railAccount(context: Context, rail: string): Account {
  return (
    context.state.systemAccounts.get(`external:${rail}`) ?? createAccount(context, 'external', rail, null)
  );
}

export function feesAccount(context: Context): Account {
  return context.state.systemAccounts.get('fees:fees') ?? createAccount(context, 'fees', 'fees', null);
}
