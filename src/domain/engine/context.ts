/** The context in which every part of the engine applies one command. */
import { invariant } from '../invariant.js';
import type { Bounds } from './bounds.js';
import type { Refusal, RefusalCode } from './commands.js';
import type { Changes } from './changes.js';
import type { Account, EngineState, EventGroup, Market, Order, Position } from './state.js';

export interface Context {
  readonly state: EngineState;
  readonly changes: Changes;
  readonly bounds: Bounds;
  /** The command's time in milliseconds. */
  readonly timeMs: number;
  /** The command's own global sequence number. */
  readonly sequence: number;
  /** Orders and positions whose holds must be updated when the command ends. */
  readonly unsettled: {
    readonly orders: Set<Order>;
    readonly positions: Set<Position>;
    /** Positions in groups that were filled; see `netting.ts`. */
    readonly filled: Set<Position>;
    /** Changed orders of lists, and entries whose exits must be armed; see `list-following.ts`. */
    readonly listed: Set<Order>;
    readonly entries: Set<Order>;
    /** Makers whose quotes must go; see `maker-protection.ts`. */
    readonly tripped: Set<number>;
  };
}

/** Also of an empty Set, `clear` allocates a new table. */
export function empty(set: Set<unknown>): void {
  if (set.size > 0) set.clear();
}

/** Makes a refusal. The function that returns it has changed nothing. */
export function refusal(code: RefusalCode, message: string): Refusal {
  return { code, message };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}

/** Accounts of live orders are always loaded, so a missing one is a fault, not a refusal. */
export function accountOf(state: EngineState, accountId: number): Account {
  const account = state.accounts.get(accountId);
  invariant(account !== undefined, 'the account of a live order or hold is loaded', accountId);
  return account;
}

/** The account if it may trade. Wallets, rails, pools and the fee account only hold and move money. */
export function traderOf(state: EngineState, accountId: number): Account | undefined {
  const account = state.accounts.get(accountId);
  return account?.kind === 'trading' ? account : undefined;
}

export const MARKET_NOT_FOUND = refusal('market_not_found', 'There is no such market.');
export const GROUP_NOT_FOUND = refusal('event_group_not_found', 'There is no such event group.');
export const ACCOUNT_NOT_FOUND = refusal('account_not_found', 'There is no such account.');
export const ACCOUNT_FROZEN = refusal(
  'account_frozen',
  'The account is frozen: it can be read, and its orders cancelled. Ask the operators.',
);

export function marketsOf({ markets }: EngineState, { marketIds }: EventGroup): Market[] {
  return marketIds.map((marketId) => {
    const market = markets.get(marketId);
    invariant(market !== undefined, 'the markets of a group are there', marketId);
    return market;
  });
}

/** The markets of a group share one. */
export function poolOf(state: EngineState, market: Market): Account {
  const accountId = market.group?.poolAccountId ?? market.poolAccountId;
  invariant(accountId !== null, 'an event market has a pool', market.definition.marketId);
  return accountOf(state, accountId);
}
