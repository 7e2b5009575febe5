/**
 * Quotes. Pricing walks the current book. Accepting repeats the walk and fills the whole size within the quoted total,
 * or changes nothing. Nothing is reserved in between.
 */
import { invariant } from '../invariant.js';
import { type Budget, type MatchPlan, planMatch } from '../matching/match-plan.js';
import { type Amount, amountOf, parseAmount } from '../money/amount.js';
import type { AcceptQuote, CommandResult, PlaceOrder, Refusal } from './commands.js';
import {
  ACCOUNT_FROZEN,
  ACCOUNT_NOT_FOUND,
  accountOf,
  type Context,
  isRefusal,
  MARKET_NOT_FOUND,
  refusal,
  traderOf,
} from './context.js';
import { checkFeeRates } from './fee-rates.js';
import { checkMarketFunds } from './funds.js';
import { feeIncrease } from './holds.js';
import { type Acceptance, checkTerms, orderFrom, reducible } from './acceptance.js';
import { carryOut } from './orders.js';
import { checkInterestRoom, checkPositionRoom } from './room.js';
import { checkAllowance, openedBy, takeAccepted } from './self-limits.js';
import type { EngineState, Market, Order } from './state.js';
import type { Side } from './types.js';

export interface QuotedTerms {
  readonly accountId: number;
  readonly marketId: string;
  readonly side: Side;
  /** The rates of a fee policy; null = the market's own rates. */
  readonly feeRates: { readonly maker: string; readonly taker: string } | null;
}

/** A quote for a size, or for a stake: the maximum of price times size, before fees. */
export type QuoteRequest = QuotedTerms & ({ readonly sizeLots: number } | { readonly stake: Amount });

export interface QuotePrice {
  /** The requested size, or the most whole lots that the stake can buy. */
  readonly sizeLots: number;
  /** Sum of price times size, in the quote asset. */
  readonly notional: Amount;
  /** Total fee at the taker's rate, in the quote asset. */
  readonly fee: Amount;
  /** The worst price reached. */
  readonly limitPriceTicks: number;
  /** The market's book sequence and the global sequence of this price. */
  readonly bookSequence: number;
  readonly sequence: number;
  /** The time of this price, on the clock by which acceptances expire. */
  readonly timeMs: number;
}

/**
 * Refuses in this order: market and account, frozen, status, a size out of range, a book that cannot fill it. A stake
 * is used up when the rest of it buys no further lot at the worst price reached.
 */
export function priceQuote(state: EngineState, request: QuoteRequest): QuotePrice | Refusal {
  const market = openMarket(state, request);
  if (isRefusal(market)) return market;
  const isSized = 'sizeLots' in request;
  const outside = isSized ? checkSize(market, request.sizeLots) : null;
  if (outside !== null) return outside;

  const budget = isSized ? null : new Stake(market, request.stake);
  const lots = isSized ? request.sizeLots : market.definition.maxSizeLots + 1;
  const plan = walkBook(state, market, request, lots, budget);
  const limitPriceTicks = worstPriceOf(plan);
  const isUsedUp = limitPriceTicks !== null && budget?.lotsAt(limitPriceTicks) === 0;
  if (plan.remainingLots > 0 && !isUsedUp) {
    return refusal('insufficient_liquidity', 'The orders of others are too few to fill this. Ask for less.');
  }
  const sizeLots = plan.filledLots;
  const outOfRange = checkSize(market, sizeLots);
  if (outOfRange !== null) return outOfRange;
  return {
    sizeLots,
    notional: notionalOf(market, plan) as Amount,
    fee: feeOf(market, plan, request) as Amount,
    limitPriceTicks: limitPriceTicks!,
    bookSequence: market.bookSequence,
    sequence: state.sequence,
    timeMs: state.timeMs,
  };
}

export function acceptQuote(context: Context, command: AcceptQuote): CommandResult | Refusal {
  const accepted = checkQuote(context, command);
  if (isRefusal(accepted)) return accepted;
  takeAccepted(context, command.allowance, accepted);
  context.changes.matchedBets.push({
    accountId: command.accountId,
    orderId: accepted.order.orderId,
    quoteId: command.quoteId,
    marketId: command.marketId,
    createdAtMs: context.timeMs,
  });
  const result = carryOut(context, accepted);
  invariant(
    result.order.filledLots === command.sizeLots,
    'a quote that is accepted trades whole',
    result.order.orderId,
    result.order.filledLots,
    command.sizeLots,
  );
  return result;
}

/**
 * Checks an acceptance in the order in which errors are reported: market and account, frozen, status, expiry,
 * size, the book against the bound, funds, the owner's own limits. Changes nothing.
 */
export function checkQuote(context: Context, command: AcceptQuote): Acceptance | Refusal {
  const { state } = context;
  const market = openMarket(state, command);
  if (isRefusal(market)) return market;
  if (command.expiresAtMs <= context.timeMs) {
    return refusal('quote_expired', 'The quote has expired. Ask for a new one.');
  }
  const outside = checkSize(market, command.sizeLots);
  if (outside !== null) return outside;
  const account = accountOf(state, command.accountId);
  const noRoom =
    checkPositionRoom(context, account.positionIn(market), command.side, command.sizeLots) ??
    checkInterestRoom(context, market, command.sizeLots);
  if (noRoom !== null) return noRoom;
  const bound = parseAmount(command.notionalBound);
  if (bound === undefined) return refusal('invalid_amount', 'The bound must be a plain decimal.');

  const plan = walkBook(state, market, command, command.sizeLots, null);
  const notional = notionalOf(market, plan);
  const isWithin = command.side === 'buy' ? notional <= bound : notional >= bound;
  if (plan.remainingLots > 0 || !isWithin) {
    return refusal('quote_stale', 'The book has moved away from the quote. Ask for a new one.');
  }
  const { feeRates } = command;
  const order = orderFrom(context, { ...quotedOrder(command), feeRates }, market);
  const accepted = { order, plan, killed: null };
  return (
    checkMarketFunds(context, order, plan) ??
    checkAllowance(account, command.allowance, () => openedBy(account, accepted)) ??
    accepted
  );
}

/** The budget of a quote for a stake, spent lot by lot. */
class Stake implements Budget {
  constructor(
    private readonly market: Market,
    private left: bigint,
  ) {}

  lotsAt(priceTicks: number): number {
    const lots = this.left / this.market.notional(priceTicks, 1);
    return lots > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(lots);
  }

  spend(priceTicks: number, lots: number): void {
    this.left -= this.market.notional(priceTicks, lots);
  }
}

function openMarket(state: EngineState, { accountId, marketId, feeRates }: QuotedTerms): Market | Refusal {
  const market = state.markets.get(marketId);
  if (market === undefined) return MARKET_NOT_FOUND;
  const account = traderOf(state, accountId);
  if (account === undefined) return ACCOUNT_NOT_FOUND;
  if (account.frozen) return ACCOUNT_FROZEN;
  const status = market.statusAt(state.timeMs);
  if (status !== 'open') {
    return refusal('market_not_open', `The market is ${status}. Quotes are for open markets.`);
  }
  return checkFeeRates(feeRates) ?? market;
}

function checkSize(market: Market, sizeLots: number): Refusal | null {
  return checkTerms(market, { sizeLots, priceTicks: null, stopPriceTicks: null });
}

/** Walks the book without a price limit; own orders are no liquidity and stay unchanged. */
function walkBook(
  state: EngineState,
  market: Market,
  { accountId, side }: QuotedTerms,
  lots: number,
  budget: Budget | null,
): MatchPlan<Order> {
  return planMatch(
    market.book.oppositeOf(side),
    {
      accountId,
      owner: accountOf(state, accountId).owner,
      side,
      timeMs: state.timeMs,
      limitTicks: side === 'buy' ? Infinity : -Infinity,
      atLimit: null,
      lots,
      selfTradePrevention: 'skip',
      reducibleLots: Infinity,
      budget,
    },
    (maker) => reducible(state, maker),
  );
}

function notionalOf(market: Market, plan: MatchPlan<Order>): bigint {
  let notional = 0n;
  for (const step of plan.steps) {
    if (step.kind === 'fill') notional += market.notional(step.maker.priceTicks, step.lots);
  }
  return notional;
}

/** The total fee of all fills, rounded up once, as for an order. */
function feeOf(market: Market, plan: MatchPlan<Order>, { feeRates }: QuotedTerms): bigint {
  const rate = feeRates === null ? market.definition.takerFeeRate : amountOf(feeRates.taker);
  let exact = 0n;
  for (const step of plan.steps) {
    if (step.kind === 'fill') exact += rate * market.feeBase(step.maker.priceTicks, step.lots);
  }
  return feeIncrease({ feeRounding: 0n }, exact);
}

function worstPriceOf(plan: MatchPlan<Order>): number | null {
  const last = plan.steps.findLast((step) => step.kind === 'fill');
  return last === undefined ? null : last.maker.priceTicks;
}

/** What accepting a quote places: a market order that is filled before anyone could see it rest, so its self-trade mode never speaks. */
export function quotedOrder({
  accountId,
  marketId,
  side,
  sizeLots,
}: Omit<QuotedTerms, 'feeRates'> & { readonly sizeLots: number }): Omit<PlaceOrder, 'type' | 'feeRates'> {
  return {
    accountId,
    marketId,
    side,
    orderType: 'market',
    timeInForce: 'FOK',
    priceTicks: null,
    stopPriceTicks: null,
    sizeLots,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
  };
}
