/**
 * Settling event markets, and settling them again where the value was wrong. Both are planned first, so
 * that a preview is the plan alone, and both pay through the market's pool, which ends at zero.
 */
import { type Amount, formatAmount, ONE, parseAmount, UNITS_PER_ONE } from '../money/amount.js';
import type { CommandResult, CorrectSettlement, Refusal, SetMarketStatus } from './commands.js';
import { type Context, isRefusal, poolOf, refusal } from './context.js';
import { transfer } from './ledger.js';
import { marketThatMayBecome, noteStatus } from './market-status.js';
import { closeAt } from './positions.js';
import type { Account, EngineState, Market, Position } from './state.js';

export interface Settlement {
  readonly market: Market;
  readonly value: Amount;
  /** One for each account that holds contracts, or held them at settlement, in order of account ids. */
  readonly payments: readonly Payment[];
}

export interface Payment {
  readonly account: Account;
  readonly position: Position;
  /** Signed: positive is long. */
  readonly lots: number;
  /** What the account gets of the pool; a correction may ask for it back, below zero. */
  readonly units: bigint;
}

/** `value` for each long contract and 1 − value for each short one, which is the pool to its last unit. */
export function planSettlement(context: Context, command: SetMarketStatus): Settlement | Refusal {
  const market = marketThatMayBecome(context.state, command);
  if (isRefusal(market)) return market;
  const value = settlementValueOf(market, command.settlementValue);
  if (isRefusal(value)) return value;
  const payments = paymentsIn(context.state, market, ({ sizeLots: lots }) => {
    const worth = worthOf(market, lots, value);
    return { lots, units: lots > 0 ? worth : market.sizeOf(-lots) - worth };
  });
  return { market, value, payments };
}

/** The differences to what the value in force has paid. Refused unless every account can pay its own. */
export function planCorrection(context: Context, command: CorrectSettlement): Settlement | Refusal {
  const market = context.state.markets.get(command.marketId);
  if (market === undefined) return refusal('market_not_found', 'There is no such market. See GET /markets.');
  const { settlementValue } = market;
  if (settlementValue === null) {
    return refusal(
      'invalid_status_change',
      `A market that is ${market.status} has no settlement to correct.`,
    );
  }
  const value = settlementValueOf(market, command.settlementValue);
  if (isRefusal(value)) return value;
  if (value === settlementValue) {
    return refusal('invalid_status_change', 'The market is settled at this value already.');
  }
  const payments = paymentsIn(context.state, market, ({ settledLots: lots }) => {
    const difference = worthOf(market, lots, value) - worthOf(market, lots, settlementValue);
    return { lots, units: lots > 0 ? difference : -difference };
  });
  return checkReversible(market, payments) ?? { market, value, payments };
}

export function settleMarket(context: Context, command: SetMarketStatus): CommandResult | Refusal {
  const settlement = planSettlement(context, command);
  if (isRefusal(settlement)) return settlement;
  const { market, value, payments } = settlement;
  const pool = poolOf(context.state, market);
  const { marketId, quoteAsset } = market.definition;
  for (const { account, position, lots, units } of payments) {
    context.changes.position(position);
    position.settledLots = lots;
    closeAt(position, Math.abs(lots), worthOf(market, lots, value));
    transfer(context, pool, account, quoteAsset, units, 'settlement', marketId);
  }
  market.openInterestLots = 0;
  return settledAt(context, market, value);
}

export function correctSettlement(context: Context, command: CorrectSettlement): CommandResult | Refusal {
  const settlement = planCorrection(context, command);
  if (isRefusal(settlement)) return settlement;
  const { market, value, payments } = settlement;
  const pool = poolOf(context.state, market);
  const { marketId, quoteAsset } = market.definition;
  for (const { position, units } of payments) {
    context.changes.position(position);
    position.realizedPnl += units;
  }
  // Who pays back comes first, so that the pool has what the others get.
  for (const { account, units } of payments) {
    if (units < 0n) transfer(context, account, pool, quoteAsset, -units, 'reversal', marketId);
  }
  for (const { account, units } of payments) {
    if (units > 0n) transfer(context, pool, account, quoteAsset, units, 'reversal', marketId);
  }
  return settledAt(context, market, value);
}

function settledAt(context: Context, market: Market, value: Amount): CommandResult {
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

function settlementValueOf(market: Market, text: string | null): Amount | Refusal {
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

/** What so many contracts pay to whoever holds them long; exact, since the value has passed its checks. */
function worthOf(market: Market, lots: number, value: Amount): bigint {
  return (market.sizeOf(Math.abs(lots)) * value) / UNITS_PER_ONE;
}

/** In order of account ids, so that a replay pays in the same order whatever was loaded when. */
function paymentsIn(
  state: EngineState,
  { definition }: Market,
  paymentOf: (position: Position) => Pick<Payment, 'lots' | 'units'>,
): Payment[] {
  const payments: Payment[] = [];
  for (const account of state.accounts.values()) {
    const position = account.positions.get(definition.marketId);
    if (position === undefined) continue;
    const payment = paymentOf(position);
    if (payment.lots !== 0) payments.push({ account, position, ...payment });
  }
  return payments.sort((a, b) => a.account.accountId - b.account.accountId);
}

/** What is held for orders and payouts is promised already, so only available money can be taken back. */
function checkReversible(market: Market, payments: readonly Payment[]): Refusal | null {
  const { quoteAsset } = market.definition;
  let accounts = 0;
  let lacking = 0n;
  for (const { account, units } of payments) {
    const after = (account.balances.get(quoteAsset)?.available ?? 0n) + units;
    if (after >= 0n) continue;
    accounts++;
    lacking -= after;
  }
  if (accounts === 0) return null;
  return refusal(
    'settlement_not_reversible',
    `Accounts that lack the money to pay back: ${accounts}, together ${formatAmount(lacking)} ${quoteAsset}. Nothing was changed.`,
  );
}
