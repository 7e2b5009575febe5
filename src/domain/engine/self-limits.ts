/**
 * What owners allow themselves. The figures of their limits are kept outside the engine, so a command of such an account
 * brings the allowance that was left when they were read. Here it is decided, one command after the other, whether that
 * still holds:
 *
 * - `limitsSequence` is the last command that used an allowance, or that changed the limits;
 * - `limitsBase` is the `limitsSequence` before the first use of the allowances that are being used now;
 * - `limitsTaken` is what they have used since, of whatever asset.
 *
 * An allowance as of the last use begins a new base. One as of the base shares what the base has left: so orders that were
 * prepared side by side never open more than all of them may. Any other is refused, and is worked out again. Limits are an
 * owner's: a use on one account ends what was prepared for the others.
 *
 * In event markets an order opens what it pays beyond the position that covers it, at its limit price and without fees.
 * On spot markets a purchase opens its price.
 */
import { invariant } from '../invariant.js';
import type { MatchPlan } from '../matching/match-plan.js';
import { amountOf } from '../money/amount.js';
import type { Allowance, CommandResult, Refusal, RenewSelfLimits } from './commands.js';
import { accountOf, type Context, refusal } from './context.js';
import { freeCover, openingDifference, type OtherTerms } from './holds.js';
import { splitFill } from './positions.js';
import type { Account, Order } from './state.js';
import type { StatusReason } from './types.js';

const CHANGED = refusal(
  'self_limits_changed',
  'The limits of the account, or what is left of them, changed at the same moment. Send the request again.',
);
const EXCEEDED = refusal('self_limit_exceeded', 'The limits that the owner has set do not allow this.');
const EXCLUDED = refusal('self_excluded', 'The owner is excluded from trading by their own wish.');

/** An order that passed all other checks, and what it does at once. */
interface Planned {
  readonly order: Order;
  readonly plan: MatchPlan<Order>;
  readonly killed: StatusReason | null;
}

/** Ends all allowances from before; the account needs one from here on. */
export function renewSelfLimits(context: Context, command: RenewSelfLimits): CommandResult | Refusal {
  const account = context.state.accounts.get(command.accountId);
  if (account === undefined || account.owner === null)
    return refusal('account_not_found', 'There is no such account of anybody.');
  renew(context, account);
  return { type: 'done' };
}

function renew(context: Context, account: Account): void {
  account.limitsSequence = context.sequence;
  account.limitsBase = context.sequence;
  account.limitsTaken = 0n;
  context.changes.account(account);
}

/** Refuses what is beyond the allowance of an account with limits; only for those the amount is worked out. */
export function checkAllowance(
  account: Account,
  allowance: Allowance | undefined,
  amountNeeded: () => bigint,
): Refusal | null {
  if (account.limitsSequence === null) return null;
  if (allowance === undefined) return CHANGED;
  const isLatest = allowance.asOf === account.limitsSequence;
  if (!isLatest && allowance.asOf !== account.limitsBase) return CHANGED;
  if (allowance.max === null) return null;
  const needed = amountNeeded();
  const taken = isLatest ? 0n : account.limitsTaken!;
  if (needed <= 0n || taken + needed <= amountOf(allowance.max)) return null;
  return allowance.isExcluded === true ? EXCLUDED : EXCEEDED;
}

/** Uses what was checked. */
export function takeAllowance(
  context: Context,
  account: Account,
  allowance: Allowance,
  amountNeeded: () => bigint,
): void {
  if (account.limitsSequence === null || allowance.max === null) return;
  const needed = amountNeeded();
  if (needed <= 0n) return;
  if (allowance.asOf === account.limitsSequence) {
    account.limitsBase = account.limitsSequence;
    account.limitsTaken = 0n;
  }
  const taken = account.limitsTaken! + needed;
  invariant(
    taken <= amountOf(allowance.max) && allowance.asOf === account.limitsBase,
    'no more is taken of an allowance than it leaves',
    account.accountId,
    taken,
    allowance.max,
  );
  account.limitsSequence = context.sequence;
  account.limitsTaken = taken;
  context.changes.account(account);
  for (const other of allowance.sharedWith ?? []) renew(context, accountOf(context.state, other));
}

/** `given` is what a replaced order gives back, which was counted when the allowance was worked out. */
export function takeAccepted(
  context: Context,
  allowance: Allowance | undefined,
  planned: Planned,
  given = 0n,
): void {
  if (allowance === undefined) return;
  const account = accountOf(context.state, planned.order.accountId);
  takeAllowance(context, account, allowance, () => openedBy(account, planned) - given);
}

export function takeAmended(context: Context, allowance: Allowance | undefined, amended: OtherTerms): void {
  if (allowance === undefined) return;
  const account = accountOf(context.state, amended.order.accountId);
  takeAllowance(context, account, allowance, () => openedByAmendment(account, amended));
}

/** The most that an accepted order pays to open, now or later. */
export function openedBy(account: Account, { order, plan, killed }: Planned): bigint {
  const { market, side } = order;
  if (killed !== null) return 0n;
  const isWaiting = order.status === 'untriggered';
  if (isWaiting && !order.hasPrice) return openedByStop(order, order.sizeLots);
  if (!isWaiting && !order.mayRest) return openedByPlan(account, order, plan);
  if (!market.isEvent) return boughtFor(order, order.priceTicks, order.remainingLots);
  const openingLots = order.remainingLots - freeCover(account.positionIn(market), side);
  return openingLots <= 0 ? 0n : BigInt(openingLots) * market.openingCost(side, order.priceTicks);
}

/** How much more an order opens under other terms; negative where that is less. */
export function openedByAmendment(account: Account, amended: OtherTerms): bigint {
  const { order, priceTicks, lots } = amended;
  if (lots === 0) return 0n;
  if (!order.hasPrice) return openedByStop(order, lots - order.remainingLots);
  if (!order.market.isEvent) {
    return boughtFor(order, priceTicks, lots) - boughtFor(order, order.priceTicks, order.remainingLots);
  }
  const position = account.positionIn(order.market);
  return openingDifference(position, position.sizeLots, [amended]);
}

/** What a live order may still open: as much as its cancellation gives back. */
export function givenBackBy(account: Account, order: Order): bigint {
  const { market, priceTicks, remainingLots } = order;
  if (account.limitsSequence === null) return 0n;
  if (!order.hasPrice) return openedByStop(order, remainingLots);
  if (!market.isEvent) return boughtFor(order, priceTicks, remainingLots);
  const position = account.positionIn(market);
  return -openingDifference(position, position.sizeLots, [{ order, priceTicks, lots: 0 }]);
}

/** A stop without a limit may pay anything up to the whole value of its contracts. */
function openedByStop(order: Order, lots: number): bigint {
  const isClosing = order.reduceOnly || (!order.market.isEvent && order.side === 'sell');
  return isClosing ? 0n : order.market.sizeOf(lots);
}

function boughtFor({ market, side, reduceOnly }: Order, priceTicks: number, lots: number): bigint {
  return side === 'sell' || reduceOnly ? 0n : market.notional(priceTicks, lots);
}

/** What the fills pay, and what other orders pay once the position covers them no longer. */
function openedByPlan(account: Account, order: Order, plan: MatchPlan<Order>): bigint {
  const { market, side } = order;
  const position = account.positionIn(market);
  let { sizeLots } = position;
  let opened = 0n;
  for (const step of plan.steps) {
    if (step.kind !== 'fill') continue;
    const { priceTicks } = step.maker;
    if (market.isEvent) {
      const { openedLots } = splitFill({ sizeLots }, side, step.lots);
      opened += BigInt(openedLots) * market.openingCost(side, priceTicks);
      sizeLots += side === 'buy' ? step.lots : -step.lots;
    } else {
      opened += boughtFor(order, priceTicks, step.lots);
    }
  }
  return market.isEvent ? opened + openingDifference(position, sizeLots, []) : opened;
}
