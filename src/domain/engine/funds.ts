/** Whether an account can afford what an order is about to do. Checked before anything changes. */
import type { MatchPlan } from '../matching/match-plan.js';
import type { Refusal } from './commands.js';
import { accountOf, type Context, refusal } from './context.js';
import {
  beyond,
  otherExitNeeds,
  feeIncrease,
  freeCover,
  holdDifference,
  type OtherTerms,
  requiredHold,
  termsOf,
} from './holds.js';
import { splitFill } from './positions.js';
import type { Account, Order } from './state.js';

/** A priced order must be able to hold its maximum cost at its limit, whatever price it then trades at. */
export function checkLimitFunds(context: Context, account: Account, order: Order): Refusal | null {
  const cover = order.market.isEvent ? freeCover(account.positionIn(order.market), order.side) : 0;
  const needed = requiredHold(
    order.market,
    termsOf(order, order.remainingLots, Math.min(cover, order.remainingLots)),
  );
  return checkAvailable(account, order.heldAsset, needed);
}

/** A market order pays for exactly what its plan fills. */
export function checkMarketFunds(context: Context, order: Order, plan: MatchPlan<Order>): Refusal | null {
  const account = accountOf(context.state, order.accountId);
  const cost = order.market.isEvent ? eventCost(account, order, plan) : spotCost(order, plan);
  return checkAvailable(account, order.heldAsset, cost);
}

/** An amended order must be able to hold the difference from its old terms. */
export function checkAmendFunds(
  context: Context,
  order: Order,
  priceTicks: number,
  remainingLots: number,
): Refusal | null {
  const account = accountOf(context.state, order.accountId);
  if (!order.market.isEvent) {
    const other = otherExitNeeds(context.state, order);
    const before = beyond(requiredHold(order.market, termsOf(order)), other);
    const after = beyond(requiredHold(order.market, { ...termsOf(order, remainingLots), priceTicks }), other);
    return checkAvailable(account, order.heldAsset, after - before);
  }
  const position = account.positionIn(order.market);
  const needed = holdDifference(position, position.sizeLots, [{ order, priceTicks, lots: remainingLots }]);
  return checkAvailable(account, order.heldAsset, needed);
}

/** An exit that is armed, or armed further, must be able to hold what it needs. */
export function checkExitFunds(context: Context, exit: Order, remainingLots: number): Refusal | null {
  return exit.hasPrice ? checkAmendFunds(context, exit, exit.priceTicks, remainingLots) : null;
}

function checkAvailable(account: Account, asset: string, needed: bigint): Refusal | null {
  const available = account.balances.get(asset)?.available ?? 0n;
  return needed <= 0n || available >= needed ? null : insufficientFunds(asset);
}

export function insufficientFunds(asset: string): Refusal {
  return refusal(
    'insufficient_funds',
    `The order needs more ${asset} than is available. Deposit, or make it smaller.`,
  );
}

function spotCost(order: Order, plan: MatchPlan<Order>): bigint {
  const { market } = order;
  if (order.side === 'sell') return market.sizeOf(plan.filledLots);
  let cost = 0n;
  let exactFee = 0n;
  for (const step of plan.steps) {
    if (step.kind !== 'fill') continue;
    cost += market.notional(step.maker.priceTicks, step.lots);
    exactFee += order.takerFeeRate * market.feeBase(step.maker.priceTicks, step.lots);
  }
  return cost + feeIncrease(order, exactFee);
}

/** The account's own orders in an event market, and so their holds, after self-trade prevention. */
function ownLeft({ accountId }: Account, plan: MatchPlan<Order>): OtherTerms[] {
  const left: OtherTerms[] = [];
  for (const step of plan.steps) {
    const { maker } = step;
    if (step.kind === 'fill' || maker.accountId !== accountId) continue;
    const lots = step.kind === 'decrement' ? maker.remainingLots - step.lots : 0;
    left.push({ order: maker, priceTicks: maker.priceTicks, lots });
  }
  return left;
}

/**
 * The cost of opening, less the proceeds of closing, plus the change of the account's other holds, of whose orders `left`
 * have other terms afterwards.
 */
export function eventCost(
  account: Account,
  order: Order,
  plan: MatchPlan<Order>,
  left: readonly OtherTerms[] = ownLeft(account, plan),
): bigint {
  const { market, side } = order;
  const position = account.positionIn(market);
  let sizeLots = position.sizeLots;
  let cost = 0n;
  let exactFee = 0n;
  for (const step of plan.steps) {
    if (step.kind !== 'fill') continue;
    const { priceTicks } = step.maker;
    const { closedLots, openedLots } = splitFill({ sizeLots }, side, step.lots);
    const opened = market.notional(priceTicks, openedLots);
    const closed = market.notional(priceTicks, closedLots);
    cost += side === 'buy' ? opened : market.sizeOf(openedLots) - opened;
    cost -= side === 'buy' ? market.sizeOf(closedLots) - closed : closed;
    exactFee += order.takerFeeRate * market.feeBase(priceTicks, step.lots);
    sizeLots += side === 'buy' ? step.lots : -step.lots;
  }
  return cost + feeIncrease(order, exactFee) + holdDifference(position, sizeLots, left);
}
