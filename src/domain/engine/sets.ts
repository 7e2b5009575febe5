/** Trades of an account with the pool of an event group: the same lots in every market, at prices that add up to 1. */
import { invariant } from '../invariant.js';
import { type Amount, decimalsOf, ONE, UNITS_PER_ONE } from '../money/amount.js';
import { accountOf, type Context, marketsOf } from './context.js';
import { holdDifference } from './holds.js';
import { transfer } from './ledger.js';
import { closeAt, openAt, splitFill } from './positions.js';
import { checkInterestRoom, checkPositionRoom } from './room.js';
import type { Account, EventGroup, Position } from './state.js';
import type { Side } from './types.js';

export interface SetTrade {
  readonly group: EventGroup;
  readonly side: Side;
  readonly lots: number;
}

/** Whether positions and open interests stay within bounds. */
export function hasRoomForSets(context: Context, account: Account, { group, side, lots }: SetTrade): boolean {
  return marketsOf(context.state, group).every((market) => {
    const position = account.positionIn(market);
    const { openedLots } = splitFill(position, side, lots);
    return (
      checkPositionRoom(context, position, side, lots) === null &&
      (openedLots === 0 || checkInterestRoom(context, market, openedLots) === null)
    );
  });
}

/** What the account needs for the trade: what it pays, and what its orders hold more where they lose their cover. */
export function moneyForSets({ state }: Context, account: Account, trade: SetTrade): bigint {
  const { group, side, lots } = trade;
  const positions = marketsOf(state, group).map((market) => account.positionIn(market));
  return positions.reduce(
    (sum, position) => {
      const sizeLots = position.sizeLots + (side === 'buy' ? lots : -lots);
      return sum + holdDifference(position, sizeLots, []);
    },
    paidForSets(positions, trade),
  );
}

export function tradeSets(context: Context, account: Account, trade: SetTrade): void {
  const { group, side, lots } = trade;
  const positions = marketsOf(context.state, group).map((market) => account.positionIn(market));
  const prices = pricesOfSet(group, positions, side);
  const paid = paidForSets(positions, trade);
  checkSet(trade, prices);
  positions.forEach((position, index) => bookLeg(context, position, side, lots, prices[index] as Amount));
  group.setsLots += side === 'buy' ? lots : -lots;
  const pool = accountOf(context.state, group.poolAccountId);
  const terms = { asset: group.quoteAsset, reference: group.groupId };
  if (paid > 0n) transfer(context, account, pool, { ...terms, units: paid, reason: 'event_split' });
  else transfer(context, pool, account, { ...terms, units: -paid, reason: 'event_merge' });
}

function checkSet({ group, lots }: SetTrade, prices: readonly bigint[]): void {
  invariant(Number.isSafeInteger(lots) && lots > 0, 'whole sets are traded', group.groupId, lots);
  const isShared =
    prices.every((price) => price >= 0n) && prices.reduce((sum, price) => sum + price, 0n) === ONE;
  invariant(isShared, 'the prices of a set add up to one', group.groupId);
}

/**
 * One for each set that is bought, less one for each short that is closed by it; negative where the account is paid. The
 * positions are those in all markets of the group.
 */
export function paidForSets(
  positions: readonly { readonly sizeLots: number }[],
  { group, side, lots }: SetTrade,
): bigint {
  if (side === 'sell') return -group.sizeOf(lots);
  const closedLots = positions.reduce((sum, one) => sum + splitFill(one, side, lots).closedLots, 0);
  return group.sizeOf(lots) - group.sizeOf(closedLots);
}

function bookLeg(context: Context, position: Position, side: Side, lots: number, price: Amount): void {
  const { state, changes, unsettled, timeMs } = context;
  const { accountId, market } = position;
  const { closedLots, openedLots } = splitFill(position, side, lots);
  invariant(
    closedLots >= 0 && closedLots + openedLots === lots,
    'a leg of a set closes and opens all of it',
    accountId,
    lots,
  );
  const longBefore = Math.max(0, position.sizeLots);
  if (closedLots > 0) closeAt(position, closedLots, market.worthOf(closedLots, price));
  if (openedLots > 0) openAt(position, side, openedLots, market.worthOf(openedLots, price));
  market.openInterestLots += Math.max(0, position.sizeLots) - longBefore;
  changes.market(market);
  changes.position(position);
  unsettled.positions.add(position);
  changes.setLegs.push({
    legId: ++state.sequence,
    marketId: market.definition.marketId,
    accountId,
    side,
    sizeLots: lots,
    price,
    bookedAtMs: timeMs,
  });
}

/**
 * The prices at which a set is booked. What closes a position closes at its average price, and so without profit or loss, as
 * far as these leave the sum at 1: what is left of that is the price of what opens, in equal parts. Where they are more,
 * or where nothing opens, they are scaled to 1.
 */
function pricesOfSet(group: EventGroup, positions: readonly Position[], side: Side): bigint[] {
  // Price times lot_size has 18 decimals at most.
  const step = 10n ** BigInt(decimalsOf(group.lotSize));
  const averages = positions.map((position) =>
    position.reducibleBy(side) > 0 ? averagePriceOf(position, step) : null,
  );
  const closing = averages.filter((average) => average !== null);
  const sum = closing.reduce((total, average) => total + average, 0n);
  const isCovered = closing.length < positions.length && sum <= ONE;
  const closed = shareOut(isCovered ? sum : ONE, closing, step);
  const opened = shareOut(
    isCovered ? ONE - sum : 0n,
    averages.filter((average) => average === null).map(() => 0n),
    step,
  );
  return averages.map((average) => (average === null ? opened : closed).shift()!);
}

function averagePriceOf({ costBasis, sizeLots, market }: Position, step: bigint): bigint {
  const price = (costBasis * UNITS_PER_ONE) / market.sizeOf(Math.abs(sizeLots));
  return price - (price % step);
}

/** Shares by weight, in whole steps, or equal ones where there is no weight at all; the last one gets what is left. */
function shareOut(total: bigint, weights: readonly bigint[], step: bigint): bigint[] {
  const sum = weights.reduce((all, weight) => all + weight, 0n);
  let left = total;
  return weights.map((weight, index) => {
    if (index === weights.length - 1) return left;
    const share = sum === 0n ? total / BigInt(weights.length) : (total * weight) / sum;
    const whole = share - (share % step);
    left -= whole;
    return whole;
  });
}
