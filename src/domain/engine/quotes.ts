/** Accepting quotes: what was priced by walking the book is filled whole within its bound, or not at all. */
import { type MatchPlan, planMatch } from '../matching/match-plan.js';
import { parseAmount } from '../money/amount.js';
import type { AcceptQuote, CommandResult, Refusal } from './commands.js';
import { type Context, isRefusal, refusal } from './context.js';
import { checkMarketFunds } from './funds.js';
import { type Acceptance, carryOut, checkTerms, orderFrom, reducible } from './orders.js';
import type { EngineState, Market, Order } from './state.js';
import type { Side } from './types.js';

export function acceptQuote(context: Context, command: AcceptQuote): CommandResult | Refusal {
  const accepted = checkQuote(context, command);
  if (isRefusal(accepted)) return accepted;
  context.changes.matchedBets.push({
    accountId: command.accountId,
    orderId: accepted.order.orderId,
    quoteId: command.quoteId,
    marketId: command.marketId,
    createdAtMs: context.timeMs,
  });
  return carryOut(context, accepted);
}

/**
 * Checks an acceptance in the order in which errors are reported: market and account, status, expiry,
 * size, the book against the bound, funds. Changes nothing.
 */
export function checkQuote(context: Context, command: AcceptQuote): Acceptance | Refusal {
  const { state } = context;
  const market = openMarket(state, command);
  if (isRefusal(market)) return market;
  if (command.expiresAtMs <= context.timeMs) {
    return refusal('quote_expired', 'The quote has expired. Ask for a new one.');
  }
  const outside = checkTerms(market, { sizeLots: command.sizeLots, priceTicks: null, stopPriceTicks: null });
  if (outside !== null) return outside;
  const bound = parseAmount(command.notionalBound);
  if (bound === undefined) return refusal('invalid_amount', 'The bound must be a plain decimal.');

  const plan = walkBook(state, market, command, command.sizeLots);
  const notional = notionalOf(market, plan);
  const isWithin = command.side === 'buy' ? notional <= bound : notional >= bound;
  if (plan.remainingLots > 0 || !isWithin) {
    return refusal('quote_stale', 'The book has moved away from the quote. Ask for a new one.');
  }
  const order = quotedOrder(context, command, market);
  return checkMarketFunds(context, order, plan) ?? { order, plan, killed: null };
}

interface Quoted {
  readonly accountId: number;
  readonly marketId: string;
  readonly side: Side;
}

function openMarket(state: EngineState, { accountId, marketId }: Quoted): Market | Refusal {
  const market = state.markets.get(marketId);
  if (market === undefined) return refusal('market_not_found', 'There is no such market. See GET /markets.');
  if (!state.accounts.has(accountId))
    return refusal('account_not_found', 'There is no such account. See GET /accounts.');
  if (market.status !== 'open') {
    return refusal('market_not_open', `The market is ${market.status}. Quotes are for open markets.`);
  }
  return market;
}

/** At whatever price, for as far as the book goes: own orders are no liquidity and stay as they are. */
function walkBook(
  state: EngineState,
  market: Market,
  { accountId, side }: Quoted,
  lots: number,
): MatchPlan<Order> {
  return planMatch(
    market.book.oppositeOf(side),
    {
      accountId,
      side,
      limitTicks: side === 'buy' ? Infinity : -Infinity,
      lots,
      selfTradePrevention: 'skip',
      reducibleLots: Infinity,
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

/** A market order that is filled before anyone could see it rest, so its self-trade mode never speaks. */
function quotedOrder(context: Context, command: AcceptQuote, market: Market): Order {
  const { accountId, marketId, side, sizeLots, feeRates } = command;
  return orderFrom(
    context,
    {
      type: 'place_order',
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
      feeRates,
    },
    market,
  );
}
