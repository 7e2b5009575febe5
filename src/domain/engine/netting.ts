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
import type { Contracts } from './position.js';
import { hasRoomForSets, paidForSets, type SetTrade, tradeSets } from './sets.js';
import type { Account, EventGroup } from './state.js';

/** Nets the positions of all accounts whose orders were filled. */
export function netFilled(context: Context): void {
  const { filled } = context.unsettled;
  if (filled.size === 0) return;
  for (const { accountId, market } of filled)
    net(context, accountOf(context.state, accountId), market.group!);
  filled.clear();
}

/** Each round leaves one free position less, so the rounds end. */
function net(context: Context, account: Account, group: EventGroup): void {
  for (;;) {
    const trade = nextTrade(contractsOf(account, group), group);
    if (trade === null || !hasRoomForSets(context, account, trade)) return;
    tradeSets(context, account, trade);
  }
}

/** What netting makes of contracts in all markets of a group. */
export interface NettingPlan {
  readonly trades: readonly SetTrade[];
  /** What the pool pays for them. */
  readonly paid: bigint;
  /** What is held then in each market. */
  readonly sizesLots: readonly number[];
}

/** Takes it that there is room for the sets: only bounds that no market comes near could be in the way. */
export function planNetting(group: EventGroup, contracts: readonly Contracts[]): NettingPlan {
  const trades: SetTrade[] = [];
  let paid = 0n;
  for (let held = contracts; ;) {
    const trade = nextTrade(held, group);
    if (trade === null) return { trades, paid, sizesLots: held.map(({ sizeLots }) => sizeLots) };
    trades.push(trade);
    paid -= paidForSets(held, trade);
    const moreLots = trade.side === 'buy' ? trade.lots : -trade.lots;
    held = held.map(({ sizeLots, cover }) => ({ sizeLots: sizeLots + moreLots, cover }));
  }
}

/** Sells complete sets; if there are none, buys sets against shorts in several markets. */
function nextTrade(contracts: readonly Contracts[], group: EventGroup): SetTrade | null {
  const mergeable = Math.min(...contracts.map((each) => freeCover(each, 'sell')));
  if (mergeable > 0) return { group, side: 'sell', lots: mergeable };
  // None where all shorts of one market cover orders.
  const shorts = contracts.filter(({ sizeLots }) => sizeLots < 0);
  const convertible = shorts.length < 2 ? 0 : Math.min(...shorts.map((each) => freeCover(each, 'buy')));
  return convertible > 0 ? { group, side: 'buy', lots: convertible } : null;
}

/** Complete sets of long contracts that cover no order. */
export function mergeableLots(account: Account, group: EventGroup): number {
  return Math.min(...contractsOf(account, group).map((each) => freeCover(each, 'sell')));
}

const NONE: Contracts = { sizeLots: 0, cover: { buy: { totalLots: 0 }, sell: { totalLots: 0 } } };

export function contractsOf(account: Account, { marketIds }: EventGroup): Contracts[] {
  return marketIds.map((marketId) => account.positions.get(marketId) ?? NONE);
}
