/**
 * The worst case of an event group, as collateral. Exactly one market of a group pays, so
 *
 * - a long contract in every market is worth 1, and becomes money at once;
 * - shorts in several markets are worth as much as money for all but one of them, and a long contract in each of the other
 *   markets. They become that, so that the pool keeps no more of an account's money than the account can lose.
 *
 * Both happen in the command that filled an order of the account in the group, with the contracts that cover no live
 * order, and are trades of whole sets with the group's pool: see `sets.ts`.
 */
import { accountOf, type Context } from './context.js';
import { freeCover } from './holds.js';
import { hasRoomForSets, tradeSets } from './sets.js';
import type { Account, EventGroup, Position } from './state.js';

/** Nets the positions of all accounts whose orders were filled. */
export function netFilled(context: Context): void {
  const { filled } = context.unsettled;
  for (const { accountId, market } of filled)
    net(context, accountOf(context.state, accountId), market.group!);
  filled.clear();
}

/** Each round leaves one free position less, so the rounds end. */
function net(context: Context, account: Account, group: EventGroup): void {
  for (;;) {
    const mergeable = mergeableLots(account, group);
    const lots = mergeable > 0 ? mergeable : convertibleLots(account, group);
    const side = mergeable > 0 ? 'sell' : 'buy';
    if (lots === 0 || !hasRoomForSets(context, account, { group, side, lots })) return;
    tradeSets(context, account, { group, side, lots });
  }
}

/** Complete sets of long contracts that cover no order. */
export function mergeableLots(account: Account, group: EventGroup): number {
  const held = heldIn(account, group);
  if (held.length < group.marketIds.length) return 0;
  return Math.min(...held.map((position) => freeCover(position, 'sell')));
}

/** Shorts that cover no order, of two markets or more; none where all shorts of another market cover orders. */
function convertibleLots(account: Account, group: EventGroup): number {
  const shorts = heldIn(account, group).filter(({ sizeLots }) => sizeLots < 0);
  return shorts.length < 2 ? 0 : Math.min(...shorts.map((position) => freeCover(position, 'buy')));
}

function heldIn(account: Account, { marketIds }: EventGroup): Position[] {
  const positions = marketIds.map((marketId) => account.positions.get(marketId));
  return positions.filter((position) => position !== undefined && position.sizeLots !== 0) as Position[];
}
