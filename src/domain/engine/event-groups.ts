/**
 * Event groups: event markets that exclude each other. Exactly one is settled at 1, all others at 0, in one act; see
 * `group-settlement.ts`.
 *
 * Their contracts stand for each other, so they share one pool. A set, which is a long contract in every market, is always
 * worth 1: it is bought for that by a split, and sold by a merge. What follows for collateral is in `netting.ts`.
 */
import { invariant } from '../invariant.js';
import type {
  CommandResult,
  CreateEventGroup,
  MergeEventGroup,
  Refusal,
  SplitEventGroup,
} from './commands.js';
import {
  ACCOUNT_FROZEN,
  ACCOUNT_NOT_FOUND,
  type Context,
  GROUP_NOT_FOUND,
  isRefusal,
  MARKET_NOT_FOUND,
  marketsOf,
  refusal,
  traderOf,
} from './context.js';
import { createAccount } from './ledger.js';
import { settle } from './list-following.js';
import { mergeableLots } from './netting.js';
import { checkAllowance, takeAllowance } from './self-limits.js';
import { hasRoomForSets, moneyForSets, tradeSets } from './sets.js';
import { type Account, EventGroup, type Market } from './state.js';

const GROUP_ID_PATTERN = /^[A-Z0-9][A-Z0-9._-]{0,63}$/;
const MARKETS_MIN = 2;
/** A fill costs its account as many steps. */
const MARKETS_MAX = 50;

export function createEventGroup(context: Context, command: CreateEventGroup): CommandResult | Refusal {
  const { state, changes, timeMs } = context;
  const { groupId, title } = command;
  if (state.groups.has(groupId)) {
    return refusal('event_group_exists', 'There is an event group of this id already. Choose another.');
  }
  if (!GROUP_ID_PATTERN.test(groupId)) {
    return invalid('event_group_id must be 1 to 64 of A–Z, 0–9, dot, underscore and hyphen.');
  }
  const markets = marketsFor(context, command);
  if (isRefusal(markets)) return markets;
  // No market has a colon in its id, so no pool of a market has this name.
  const { accountId: poolAccountId } = createAccount(context, 'pool', `group:${groupId}`, null);
  const { marketIds } = command;
  const { quoteAsset, lotSize } = markets[0]!.definition;
  invariant(
    markets.every(({ poolAccountId: own }) => own !== null && own !== poolAccountId),
    'a group has a pool of its own',
    poolAccountId,
  );
  const nature = { groupId, title, marketIds, quoteAsset, lotSize, poolAccountId };
  const group = new EventGroup({ ...nature, createdAtMs: timeMs });
  state.addGroup(group);
  changes.newGroups.push(group);
  for (const market of markets) {
    market.rowChanged = true;
    changes.market(market);
  }
  return { type: 'event_group', groupId };
}

/** Nobody may have traded the markets, since the shorts from before would have no part in the group's pool. */
function marketsFor({ state }: Context, { marketIds }: CreateEventGroup): Market[] | Refusal {
  if (marketIds.length < MARKETS_MIN || marketIds.length > MARKETS_MAX)
    return invalid(`A group has ${MARKETS_MIN} to ${MARKETS_MAX} markets.`);
  if (new Set(marketIds).size < marketIds.length) return invalid('A market is listed twice.');
  const markets: Market[] = [];
  for (const marketId of marketIds) {
    const market = state.markets.get(marketId);
    if (market === undefined) return MARKET_NOT_FOUND;
    if (!market.isEvent) return invalid(`${marketId} is no event market.`);
    if (market.group !== null) {
      return refusal(
        'market_in_event_group',
        `${marketId} belongs to the event group ${market.group.groupId}.`,
      );
    }
    if (market.status !== 'scheduled' && market.status !== 'open')
      return invalid(`${marketId} is ${market.status}. Markets of a new group are scheduled or open.`);
    if (!isUntouched(market))
      return invalid(`${marketId} has orders or was traded. Use markets that nobody has used.`);
    const { quoteAsset, lotSize } = (markets[0] ?? market).definition;
    if (market.definition.quoteAsset !== quoteAsset || market.definition.lotSize !== lotSize)
      return invalid('All markets of a group have the same quote_asset and lot_size.');
    markets.push(market);
  }
  return markets;
}

function isUntouched({ book, lastPriceTicks }: Market): boolean {
  return lastPriceTicks === null && book.bids.best() === undefined && book.asks.best() === undefined;
}

const invalid = (message: string): Refusal => refusal('invalid_event_group', message);

export function splitEventGroup(context: Context, command: SplitEventGroup): CommandResult | Refusal {
  const admitted = admit(context, command);
  if (isRefusal(admitted)) return admitted;
  const { account, group } = admitted;
  const trade = { group, side: 'buy', lots: command.sizeLots } as const;
  if (!hasRoomForSets(context, account, trade))
    return refusal('size_out_of_range', 'There would be more contracts than can be counted. Send less.');
  const needed = moneyForSets(context, account, trade);
  const { quoteAsset } = group;
  if (needed > (account.balances.get(quoteAsset)?.available ?? 0n))
    return refusal('insufficient_funds', `The sets need more ${quoteAsset} than is available.`);
  const beyond = checkAllowance(account, command.allowance, () => needed);
  if (beyond !== null) return beyond;
  if (command.allowance !== undefined) takeAllowance(context, account, command.allowance, () => needed);
  tradeSets(context, account, trade);
  settle(context);
  return { type: 'event_group', groupId: group.groupId };
}

export function mergeEventGroup(context: Context, command: MergeEventGroup): CommandResult | Refusal {
  const admitted = admit(context, command);
  if (isRefusal(admitted)) return admitted;
  const { account, group } = admitted;
  const trade = { group, side: 'sell', lots: command.sizeLots } as const;
  if (mergeableLots(account, group) < command.sizeLots) {
    return refusal(
      'insufficient_funds',
      'The account has fewer complete sets of contracts than that, beside those that its sell orders close.',
    );
  }
  if (!hasRoomForSets(context, account, trade))
    return refusal(
      'size_out_of_range',
      'The account has too many stops on these contracts. Cancel some first.',
    );
  tradeSets(context, account, trade);
  settle(context);
  return { type: 'event_group', groupId: group.groupId };
}

/** The checks that both have, in the order of the errors: group and account, frozen, status, size. */
function admit(
  { state, timeMs }: Context,
  { groupId, accountId, sizeLots }: SplitEventGroup | MergeEventGroup,
): { readonly group: EventGroup; readonly account: Account } | Refusal {
  const group = state.groups.get(groupId);
  if (group === undefined) return GROUP_NOT_FOUND;
  const account = traderOf(state, accountId);
  if (account === undefined) return ACCOUNT_NOT_FOUND;
  if (account.frozen) return ACCOUNT_FROZEN;
  const other = marketsOf(state, group).find((market) => market.statusAt(timeMs) !== 'open');
  if (other !== undefined) {
    const { marketId } = other.definition;
    return refusal(
      'market_not_open',
      `${marketId} is ${other.statusAt(timeMs)}. Sets are traded while all markets of the group are open.`,
    );
  }
  if (Number.isSafeInteger(sizeLots) && sizeLots >= 1) return { group, account };
  return refusal('size_out_of_range', 'size must be one lot or more.');
}
