/**
 * Settling event markets, and correcting a settlement at a wrong value. Everything is paid through the market's pool,
 * which ends at zero.
 *
 * Several commands pay a settlement with many holders, so that others' commands come between. Each holder is paid in
 * full or not at all, and the pool always equals the sum still owed. A correction concerns all holders or none, so it
 * is planned first and is one command.
 */
import { invariant } from '../invariant.js';
import { type Amount, formatAmount, ONE, parseAmount, UNITS_PER_ONE } from '../money/amount.js';
import type {
  CommandResult,
  ContinueSettlement,
  CorrectSettlement,
  Refusal,
  SetMarketStatus,
} from './commands.js';
import {
  accountOf,
  type Context,
  isRefusal,
  MARKET_NOT_FOUND,
  marketsOf,
  poolOf,
  refusal,
} from './context.js';
import { transfer } from './ledger.js';
import { marketThatMayBecome, noteStatus } from './market-status.js';
import { closeAt } from './positions.js';
import type { Account, EngineState, EventGroup, Market, Position } from './state.js';

export interface Settlement {
  readonly market: Market;
  readonly value: Amount;
  /** Lots on either side: each long contract has a short one. */
  readonly lots: number;
  /** What all longs and all shorts get from the pool; negative where a correction takes it back. */
  readonly toLongs: bigint;
  readonly toShorts: bigint;
}

export interface Correction extends Settlement {
  /** One for each account that held contracts at settlement, ordered by account id. */
  readonly adjustments: readonly (Difference & Rebooking)[];
}

/** What an account gets from the pool; negative where it pays back. */
export interface Difference {
  readonly account: Account;
  readonly units: bigint;
}

/** What a correction adds to the profit of a position. */
export interface Rebooking {
  readonly position: Position;
  readonly units: bigint;
}

/** Plans `value` for each long contract and 1 − value for each short one, which empties the pool exactly. */
export function planSettlement(context: Context, command: SetMarketStatus): Settlement | Refusal {
  const market = marketThatMayBecome(context.state, command);
  if (isRefusal(market)) return market;
  const value = valueAlone(market, command.settlementValue);
  if (isRefusal(value)) return value;
  const lots = market.openInterestLots;
  const toLongs = market.worthOf(lots, value);
  invariant(
    toLongs >= 0n && toLongs <= market.sizeOf(lots),
    'a settlement pays what the contracts can be worth',
    market.definition.marketId,
    toLongs,
  );
  return { market, value, lots, toLongs, toShorts: market.sizeOf(lots) - toLongs };
}

/** Plans the differences from what the current value paid. Refused unless every account can pay its own. */
export function planCorrection(context: Context, command: CorrectSettlement): Correction | Refusal {
  const market = context.state.markets.get(command.marketId);
  if (market === undefined) return MARKET_NOT_FOUND;
  const { settlementValue } = market;
  if (market.status !== 'settled' || settlementValue === null) {
    return refusal(
      'invalid_status_change',
      `A market that is ${market.status} has no settlement to correct.`,
    );
  }
  const value = valueAlone(market, command.settlementValue);
  if (isRefusal(value)) return value;
  if (value === settlementValue) {
    return refusal('invalid_status_change', 'The market is settled at this value already.');
  }
  const adjustments: (Difference & Rebooking)[] = [];
  let lots = 0;
  let toLongs = 0n;
  for (const account of settledHoldersIn(context.state, market)) {
    const position = account.positionIn(market);
    const { settledLots } = position;
    const lotsPaid = Math.abs(settledLots);
    const difference = market.worthOf(lotsPaid, value) - market.worthOf(lotsPaid, settlementValue);
    adjustments.push({ account, position, units: settledLots > 0 ? difference : -difference });
    if (settledLots < 0) continue;
    lots += settledLots;
    toLongs += difference;
  }
  return (
    checkReversible(market.definition.quoteAsset, adjustments) ?? {
      market,
      value,
      lots,
      toLongs,
      toShorts: -toLongs,
      adjustments,
    }
  );
}

export function settleMarket(context: Context, command: SetMarketStatus): CommandResult | Refusal {
  const settlement = planSettlement(context, command);
  if (isRefusal(settlement)) return settlement;
  const { market, value } = settlement;
  owe(market, value);
  return payHolders(context, market, value, command.holders ?? holdersOf(context.state, market));
}

export function continueSettlement(context: Context, command: ContinueSettlement): CommandResult | Refusal {
  const market = context.state.markets.get(command.marketId);
  if (market === undefined) return MARKET_NOT_FOUND;
  if (market.status !== 'settling') {
    return refusal('invalid_status_change', `A market that is ${market.status} has nobody to pay.`);
  }
  return payHolders(context, market, market.settlementValue!, command.holders);
}

/** Sets the value at which everybody who holds contracts is to be paid. */
export function owe(market: Market, value: Amount): void {
  invariant(
    market.status === 'closed' && market.owedShortLots === null,
    'a market is settled once, after it has closed',
    market.definition.marketId,
    market.status,
  );
  market.owedShortLots = market.shortLots;
  market.settlementValue = value;
}

/** The required balance of the pool of a market without a group: all that closing or settling still pays out of it. */
export function owedByPool(market: Market): bigint {
  const { openInterestLots, owedShortLots, settlementValue } = market;
  if (owedShortLots === null) return market.sizeOf(openInterestLots);
  const toShorts = market.sizeOf(owedShortLots) - market.worthOf(owedShortLots, settlementValue!);
  return market.worthOf(openInterestLots, settlementValue!) + toShorts;
}

/** The same of a group. A set without a short one holds a contract in every market, and only one of them pays. */
export function owedByGroup(state: EngineState, group: EventGroup): bigint {
  return owedByMarkets(state, group) - unneededPerSet(group) * BigInt(group.setsLots);
}

/** The sets without a short contract that explain what is in a group's pool; null where no whole number does. */
export function setsExplaining(state: EngineState, group: EventGroup, poolUnits: bigint): number | null {
  const unneeded = owedByMarkets(state, group) - poolUnits;
  const sets = Number(unneeded / unneededPerSet(group));
  const isWhole = unneeded % unneededPerSet(group) === 0n && Number.isSafeInteger(sets);
  return isWhole ? sets : null;
}

function owedByMarkets(state: EngineState, group: EventGroup): bigint {
  return marketsOf(state, group).reduce((sum, market) => sum + owedByPool(market), 0n);
}

function unneededPerSet(group: EventGroup): bigint {
  return group.sizeOf(group.marketIds.length - 1);
}

/** Pays those of the accounts that still hold contracts. The market is settled when the last is paid. */
export function payHolders(
  context: Context,
  market: Market,
  value: Amount,
  accountIds: readonly number[],
): CommandResult {
  const pool = poolOf(context.state, market);
  const { marketId, quoteAsset: asset } = market.definition;
  const paid: number[] = [];
  for (const accountId of accountIds) {
    const account = accountOf(context.state, accountId);
    const position = account.positions.get(marketId);
    if (position === undefined || position.sizeLots === 0) continue;
    const { sizeLots } = position;
    const lots = Math.abs(sizeLots);
    const worth = market.worthOf(lots, value);
    context.changes.position(position);
    position.settledLots = sizeLots;
    closeAt(position, lots, worth);
    const units = sizeLots > 0 ? worth : market.sizeOf(lots) - worth;
    invariant(units >= 0n && position.sizeLots === 0, 'a holder is paid once, and in full', accountId, units);
    transfer(context, pool, account, { asset, units, reason: 'settlement', reference: marketId });
    if (sizeLots > 0) market.openInterestLots -= lots;
    else market.owedShortLots! -= lots;
    invariant(
      market.openInterestLots >= 0 && market.owedShortLots! >= 0,
      'no more contracts are paid than are open',
      accountId,
      market.openInterestLots,
      market.owedShortLots,
    );
    paid.push(accountId);
  }
  const { sequence, timeMs } = context;
  if (paid.length > 0) {
    const chunk = { marketId, sequence, settlementValue: value, settledAtMs: timeMs, accountIds: paid };
    context.changes.settlementChunks.push(chunk);
  }
  if (market.openInterestLots === 0 && market.owedShortLots === 0) {
    market.owedShortLots = null;
    context.state.settling.delete(market);
    return settledAt(context, market, value);
  }
  noteStatus(context, market, 'settling');
  // Moves the market to the end, so that markets take turns.
  context.state.settling.delete(market);
  context.state.settling.add(market);
  return { type: 'market', marketId };
}

export function correctSettlement(context: Context, command: CorrectSettlement): CommandResult | Refusal {
  const settlement = planCorrection(context, command);
  if (isRefusal(settlement)) return settlement;
  const { market, value, adjustments } = settlement;
  const { marketId, quoteAsset: asset } = market.definition;
  rebook(context, adjustments);
  payDifferences(context, poolOf(context.state, market), { asset, reference: marketId }, adjustments);
  return settledAt(context, market, value);
}

export function rebook(context: Context, rebookings: readonly Rebooking[]): void {
  for (const { position, units } of rebookings) {
    context.changes.position(position);
    position.realizedPnl += units;
  }
}

/** Who pays back comes first, so that the pool has what the others get. */
export function payDifferences(
  context: Context,
  pool: Account,
  terms: { readonly asset: string; readonly reference: string },
  differences: readonly Difference[],
): void {
  invariant(
    differences.reduce((sum, { units }) => sum + units, 0n) === 0n,
    'a correction moves money between holders alone',
    terms.reference,
  );
  const cause = { ...terms, reason: 'reversal' } as const;
  for (const { account, units } of differences) {
    if (units < 0n) transfer(context, account, pool, { ...cause, units: -units });
  }
  for (const { account, units } of differences) {
    if (units > 0n) transfer(context, pool, account, { ...cause, units });
  }
}

export function settledAt(context: Context, market: Market, value: Amount): CommandResult {
  const { marketId } = market.definition;
  market.settlementValue = value;
  market.settledAtMs = context.timeMs;
  noteStatus(context, market, 'settled');
  context.changes.settlements.push({
    marketId,
    sequence: context.sequence,
    settlementValue: value,
    settledAtMs: context.timeMs,
  });
  return { type: 'market', marketId };
}

/** The value of a market that is settled by itself. */
function valueAlone(market: Market, text: string | null): Amount | Refusal {
  if (market.group !== null) {
    return refusal(
      'market_in_event_group',
      `The market belongs to the event group ${market.group.groupId}. Its markets are settled together.`,
    );
  }
  if (!market.isEvent) return refusal('invalid_status_change', 'Only event markets are settled.');
  const value = text === null ? undefined : parseAmount(text);
  if (value === undefined || value > ONE) {
    return refusal('invalid_amount', 'settlement_value must be a plain decimal from 0 to 1.');
  }
  if ((market.definition.lotSize * value) % UNITS_PER_ONE !== 0n) {
    return refusal(
      'amount_too_precise',
      'settlement_value times lot_size has more than 18 decimals. Round it.',
    );
  }
  return value;
}

/** The holders of contracts among the accounts in memory. */
export function holdersOf(state: EngineState, market: Market): number[] {
  return holdersIn(state, market, ({ sizeLots }) => sizeLots !== 0).map(({ accountId }) => accountId);
}

/** Those whom its settlement paid, as far as their positions are in memory. */
export function settledHoldersIn(state: EngineState, market: Market): Account[] {
  return holdersIn(state, market, ({ settledLots }) => settledLots !== 0);
}

/** Ordered by account id, so that a replay pays in the same order whatever the order of loading. */
function holdersIn(
  state: EngineState,
  { definition }: Market,
  isHeld: (position: Position) => boolean,
): Account[] {
  const holders: Account[] = [];
  for (const account of state.accounts.values()) {
    const position = account.positions.get(definition.marketId);
    if (position !== undefined && isHeld(position)) holders.push(account);
  }
  return holders.sort((a, b) => a.accountId - b.accountId);
}

/** Only available money can be taken back; held money is promised to orders and payouts. */
export function checkReversible(asset: string, differences: readonly Difference[]): Refusal | null {
  let accounts = 0;
  let lacking = 0n;
  for (const { account, units } of differences) {
    const after = (account.balances.get(asset)?.available ?? 0n) + units;
    if (after >= 0n) continue;
    accounts++;
    lacking -= after;
  }
  if (accounts === 0) return null;
  return refusal(
    'settlement_not_reversible',
    `Accounts that lack the money to pay back: ${accounts}, together ${formatAmount(lacking)} ${asset}. Nothing was changed.`,
  );
}
