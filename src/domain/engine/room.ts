/**
 * Sums of lots stay within safe integers. Every order is checked before it is accepted, together with all that the
 * account's open orders could still trade, so that no fill can exceed the bound.
 */
import type { Refusal } from './commands.js';
import { type Context, refusal } from './context.js';
import type { Share } from './party.js';
import type { Market, Order, Position } from './state.js';
import type { Side } from './types.js';

/** Whether the position could take `lots` more of a side if all open orders of that side were filled too. */
export function checkPositionRoom(
  { bounds }: Context,
  position: Pick<Position, 'sizeLots' | 'openLots'>,
  side: Side,
  lots: number,
): Refusal | null {
  const held = side === 'buy' ? position.sizeLots : -position.sizeLots;
  if (held + position.openLots[side] + lots <= bounds.lots) return null;
  return refusal(
    'size_out_of_range',
    'With all its open orders the account could come to hold more than can be counted. Cancel some, or send less.',
  );
}

/**
 * Whether the side of the book has room for the resting part of an order, and an event market for the lots it may open.
 * The orders of one party may not fill more of a side than they leave to others: so nobody can shut it.
 * `ownLots` are the order's own lots in the book, and `openedLots` contracts that will have been opened before.
 */
export function checkMarketRoom(
  context: Context,
  { market, side, mayRest, countedLots }: Pick<Order, 'market' | 'side' | 'mayRest' | 'countedLots'>,
  { openLots }: Pick<Share, 'openLots'>,
  lots: number,
  ownLots = 0,
  openedLots = 0,
): Refusal | null {
  if (mayRest) {
    const leftLots = context.bounds.lots - (market.book.sideOf(side).totalLots - ownLots) - lots;
    if (leftLots < 0 || openLots[side] - countedLots + lots > leftLots) return TOO_MUCH_OPEN;
  }
  return checkInterestRoom(context, market, openedLots + lots);
}

/** Whether the open interest of an event market has room for as many contracts more. */
export function checkInterestRoom({ bounds }: Context, market: Market, lots: number): Refusal | null {
  const open = market.isEvent ? Math.max(market.openInterestLots, market.shortLots) : 0;
  return open + lots <= bounds.lots ? null : TOO_MUCH_OPEN;
}

const TOO_MUCH_OPEN = refusal(
  'size_out_of_range',
  'The market has too much open already to count more. Send less.',
);
