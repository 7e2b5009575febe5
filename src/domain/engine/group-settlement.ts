/**
 * Settling all markets of an event group in one act, and correcting it where another market has won: one command moves
 * the 1 from one market to the other. The markets that lost both times are not concerned.
 */
import { ONE, ZERO } from '../money/amount.js';
import type { CommandResult, CorrectEventGroup, Refusal, SettleEventGroup } from './commands.js';
import { accountOf, type Context, GROUP_NOT_FOUND, isRefusal, marketsOf, refusal } from './context.js';
import {
  checkReversible,
  type Difference,
  holdersOf,
  owe,
  payDifferences,
  payHolders,
  rebook,
  type Rebooking,
  settledAt,
  settledHoldersIn,
} from './settlement.js';
import type { Account, EngineState, EventGroup, Market } from './state.js';

export interface GroupSettlement {
  readonly group: EventGroup;
  readonly markets: readonly Market[];
  readonly winner: Market;
}

export interface GroupCorrection extends GroupSettlement {
  /** The market that was settled at 1. */
  readonly loser: Market;
  readonly rebookings: readonly Rebooking[];
  /** What each account gets in both markets together, ordered by account id. */
  readonly differences: readonly Difference[];
}

/** All markets must be closed, as each must be that is settled alone. */
export function planGroupSettlement(context: Context, command: SettleEventGroup): GroupSettlement | Refusal {
  const plan = namedIn(context.state, command);
  if (isRefusal(plan)) return plan;
  const { markets } = plan;
  for (const { definition, status } of markets) {
    if (status === 'closed') continue;
    return refusal(
      'invalid_status_change',
      `${definition.marketId} is ${status}. A group is settled once, when all its markets are closed.`,
    );
  }
  return plan;
}

/**
 * Plans the differences from what the settlement paid. Refused unless every account can pay its own: what it gets in one
 * market counts for what it pays back in the other.
 */
export function planGroupCorrection(context: Context, command: CorrectEventGroup): GroupCorrection | Refusal {
  const { state } = context;
  const plan = namedIn(state, command);
  if (isRefusal(plan)) return plan;
  const { group, markets, winner } = plan;
  const unsettled = markets.find(({ status }) => status !== 'settled');
  if (unsettled !== undefined) {
    const { definition, status } = unsettled;
    return refusal(
      'invalid_status_change',
      `${definition.marketId} is ${status}. A settlement is corrected once all markets of the group are settled.`,
    );
  }
  const loser = markets.find(({ settlementValue }) => settlementValue === ONE)!;
  if (loser === winner)
    return refusal('invalid_status_change', 'The group is settled with this market as its winner already.');
  const rebookings: Rebooking[] = [];
  const units = new Map<Account, bigint>();
  for (const market of [loser, winner]) {
    for (const account of settledHoldersIn(state, market)) {
      const position = account.positionIn(market);
      const worth = group.sizeOf(position.settledLots);
      const difference = market === winner ? worth : -worth;
      rebookings.push({ position, units: difference });
      units.set(account, (units.get(account) ?? 0n) + difference);
    }
  }
  const differences = [...units]
    .map(([account, sum]) => ({ account, units: sum }))
    .sort((a, b) => a.account.accountId - b.account.accountId);
  return checkReversible(group.quoteAsset, differences) ?? { ...plan, loser, rebookings, differences };
}

function namedIn(
  state: EngineState,
  { groupId, winningMarketId }: SettleEventGroup | CorrectEventGroup,
): GroupSettlement | Refusal {
  const group = state.groups.get(groupId);
  if (group === undefined) return GROUP_NOT_FOUND;
  const markets = marketsOf(state, group);
  const winner = markets.find(({ definition }) => definition.marketId === winningMarketId);
  if (winner === undefined) return refusal('market_not_found', `The group has no market ${winningMarketId}.`);
  return { group, markets, winner };
}

export function settleEventGroup(context: Context, command: SettleEventGroup): CommandResult | Refusal {
  const settlement = planGroupSettlement(context, command);
  if (isRefusal(settlement)) return settlement;
  const { group, markets, winner } = settlement;
  for (const market of markets) owe(market, market === winner ? ONE : ZERO);
  // What is owed says it all from here on.
  group.setsLots = 0;
  for (const market of markets)
    payHolders(context, market, market.settlementValue!, command.holders ?? holdersOf(context.state, market));
  return { type: 'event_group', groupId: group.groupId };
}

export function correctEventGroup(context: Context, command: CorrectEventGroup): CommandResult | Refusal {
  const correction = planGroupCorrection(context, command);
  if (isRefusal(correction)) return correction;
  const { group, winner, loser, rebookings, differences } = correction;
  const { groupId, quoteAsset: asset } = group;
  rebook(context, rebookings);
  payDifferences(
    context,
    accountOf(context.state, group.poolAccountId),
    { asset, reference: groupId },
    differences,
  );
  settledAt(context, loser, ZERO);
  settledAt(context, winner, ONE);
  return { type: 'event_group', groupId };
}
