/** Average-cost accounting of an account's trades in a market. */
import { invariant } from '../invariant.js';
import type { Market, Position } from './state.js';
import type { Side } from './types.js';

/** How a fill splits at the flat position: the lots that close the old position and those that open a new one. */
export interface FillSplit {
  readonly closedLots: number;
  readonly openedLots: number;
}

export function splitFill(position: { readonly sizeLots: number }, side: Side, lots: number): FillSplit {
  const reducible = side === 'buy' ? -position.sizeLots : position.sizeLots;
  const closedLots = Math.min(lots, Math.max(0, reducible));
  return { closedLots, openedLots: lots - closedLots };
}

/**
 * Books a fill. A partial close removes floor(cost × closed / size); the last close removes the whole remaining cost.
 */
export function bookFill(
  position: Position,
  market: Market,
  side: Side,
  priceTicks: number,
  lots: number,
  fee: bigint,
): FillSplit {
  const sizeBefore = position.sizeLots;
  const split = splitFill(position, side, lots);
  if (split.closedLots > 0)
    closeAt(position, split.closedLots, market.notional(priceTicks, split.closedLots));
  if (split.openedLots > 0)
    openAt(position, side, split.openedLots, market.notional(priceTicks, split.openedLots));
  position.fees += fee;
  invariant(
    position.sizeLots === sizeBefore + (side === 'buy' ? lots : -lots),
    'a fill changes the position of each side by its lots',
    position.accountId,
    sizeBefore,
    position.sizeLots,
  );
  return split;
}

/** Adds lots of one side to a position that has none of the other, for `entryValue`. */
export function openAt(position: Position, side: Side, lots: number, entryValue: bigint): void {
  invariant(
    side === 'buy' ? position.sizeLots >= 0 : position.sizeLots <= 0,
    'a position is opened on one side only',
    position.accountId,
    position.sizeLots,
  );
  invariant(lots > 0 && entryValue >= 0n, 'a position is opened for something', position.accountId, lots);
  position.costBasis += entryValue;
  position.sizeLots += side === 'buy' ? lots : -lots;
}

/** Removes lots from the position for `exitValue`, and realizes the difference from their cost. */
export function closeAt(position: Position, lots: number, exitValue: bigint): void {
  const size = Math.abs(position.sizeLots);
  invariant(
    lots > 0 && lots <= size,
    'no more of a position is closed than is open',
    position.accountId,
    lots,
    size,
  );
  const isLong = position.sizeLots > 0;
  const cost = lots === size ? position.costBasis : (position.costBasis * BigInt(lots)) / BigInt(size);
  invariant(
    cost >= 0n && cost <= position.costBasis,
    'what is closed had a part of the cost',
    position.accountId,
    cost,
    position.costBasis,
  );
  position.costBasis -= cost;
  position.realizedPnl += isLong ? exitValue - cost : cost - exitValue;
  position.sizeLots += isLong ? -lots : lots;
}
