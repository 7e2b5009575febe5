/** Whether an order can be accepted, and what it would do at once. Nothing here changes the state. */
import { type Budget, hasExpired, type MatchPlan, planMatch, type Taker } from '../matching/match-plan.js';
import { changedFields } from '../fields.js';
import { unitsOf } from '../market/units.js';
import { amount, amountOf, formatAmount } from '../money/amount.js';
import type { PlaceOrder, Refusal } from './commands.js';
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
import { checkLimitFunds, checkMarketFunds } from './funds.js';
import { checkLimits } from './limits.js';
import { checkMarketRoom, checkPositionRoom } from './room.js';
import { checkAllowance, openedBy } from './self-limits.js';
import { Spending } from './spending.js';
import { type Account, type EngineState, type Market, Order, type Position } from './state.js';
import { advancedTerms } from './order-terms.js';
import { BPS_PER_ONE, trailingDistance } from './trailing-stops.js';
import type { AdvancedTerms, ListRole, StatusReason } from './types.js';

/** An order as a command asks for it. */
export interface RequestedOrder extends Omit<PlaceOrder, 'type'> {
  /** Left out, the command's own place in the sequence. */
  readonly orderId?: number;
  readonly place?: ListPlace;
  readonly isMassQuote?: true;
}

/** What an order is in a list that one command places. */
export interface ListPlace extends Pick<AdvancedTerms, 'clientListId'> {
  readonly listId: number;
  readonly listRole: ListRole;
}

/** What an accepted order will do at once, computed before anything changes. */
export interface Acceptance {
  readonly order: Order;
  readonly plan: MatchPlan<Order>;
  /** Set if the order is accepted but ends at once without trading. */
  readonly killed: StatusReason | null;
}

/**
 * Checks an order in the order in which errors are reported: market and account, frozen, status, expiry,
 * size, price, notional, reduce-only, funds, post-only, the owner's own limits. `given` is what they gave back for it.
 */
export function acceptOrder(context: Context, command: RequestedOrder, given = 0n): Acceptance | Refusal {
  const admitted = admitOrder(context, command);
  if (isRefusal(admitted)) return admitted;
  const { market, account } = admitted;
  const tooMany = checkLimits(context, account, command);
  if (tooMany !== null) return tooMany;
  const outside = checkTerms(market, command);
  if (outside !== null) return outside;

  const order = orderFrom(context, command, market);
  const unsized = command.quoteSize === undefined ? null : sizeBy(context, order, command.quoteSize);
  if (unsized !== null) return unsized;
  const isStop = order.status === 'untriggered';
  const position = account.positionIn(market);
  const noRoom =
    checkPositionRoom(context, position, order.side, order.sizeLots) ??
    (isStop ? null : checkMarketRoom(context, order, position.share, order.sizeLots));
  if (noRoom !== null) return noRoom;
  const untrailable = order.isTrailing ? checkTrailing(context, order, position) : null;
  if (untrailable !== null) return untrailable;
  if (order.reduceOnly && position.reducibleBy(order.side) === 0) {
    return refusal(
      'reduce_only_violated',
      'There is no opposite position to reduce. Leave reduce_only out to open one.',
    );
  }
  const short = order.hasPrice ? checkLimitFunds(context, account, order) : null;
  if (short !== null) return short;
  const accepted = isStop ? { order, plan: noMatch(order), killed: null } : planOrder(context, order);
  if (isRefusal(accepted)) return accepted;
  return checkAllowance(account, command.allowance, () => openedBy(account, accepted) - given) ?? accepted;
}

/** Whether the account may trade on the market now, until when the order says. */
export function admitOrder(
  { state, timeMs }: Context,
  command: RequestedOrder,
): { readonly market: Market; readonly account: Account } | Refusal {
  const market = state.markets.get(command.marketId);
  if (market === undefined) return MARKET_NOT_FOUND;
  const account = traderOf(state, command.accountId);
  if (account === undefined) return ACCOUNT_NOT_FOUND;
  if (account.frozen) return ACCOUNT_FROZEN;
  const status = market.statusAt(timeMs);
  if (status !== 'open') {
    return refusal('market_not_open', `The market is ${status}. Orders are taken while it is open.`);
  }
  if (command.expiresAtMs !== null && command.expiresAtMs <= timeMs) {
    return refusal('already_expired', 'expires_at has passed. Send a time in the future.');
  }
  return checkFeeRates(command.feeRates) ?? { market, account };
}

/** Plans the matching of an order whose limit is already funded; also used for stops that have just triggered. */
export function planOrder(context: Context, order: Order): Acceptance | Refusal {
  if (order.postOnly && wouldCross(order, context.timeMs)) {
    return refusal(
      'post_only_would_cross',
      'The order would trade at once. Move its price, or leave post_only out.',
    );
  }
  const plan = walkBook(context, order, null);
  if (order.timeInForce === 'FOK' && plan.filledLots < order.remainingLots) {
    return { order, plan: noMatch(order), killed: 'fok_not_filled' };
  }
  if (!order.hasPrice) {
    const short = checkMarketFunds(context, order, plan);
    if (short !== null) return short;
  }
  return { order, plan, killed: null };
}

function walkBook({ state, timeMs }: Context, order: Order, budget: Budget | null): MatchPlan<Order> {
  return planMatch(
    order.market.book.oppositeOf(order.side),
    {
      accountId: order.accountId,
      owner: accountOf(state, order.accountId).owner,
      side: order.side,
      timeMs,
      ...limitOf(order),
      lots: order.remainingLots,
      selfTradePrevention: order.selfTradePrevention,
      reducibleLots: order.reduceOnly ? reducible(state, order) : Infinity,
      budget,
    },
    (maker) => reducible(state, maker),
  );
}

/** Gives a market order the size that the book gives for its amount of the quote asset. */
function sizeBy(context: Context, order: Order, quoteSize: string): Refusal | null {
  const plan = walkBook(context, order, new Spending(order, amountOf(quoteSize)));
  if (plan.filledLots >= order.market.definition.minSizeLots) {
    order.sizeLots = plan.filledLots;
    order.remainingLots = plan.filledLots;
    return null;
  }
  return plan.remainingLots === 0
    ? refusal('size_out_of_range', `quote_size pays for less than a size ${sizesOf(order.market)}.`)
    : refusal('insufficient_liquidity', "The orders of others give less than the market's min_size.");
}

/** The status of an accepted order after its plan. */
export interface Ending {
  readonly status: 'open' | 'partially_filled' | 'filled' | 'cancelled';
  readonly reason: StatusReason | null;
}

export function endingOf({ order, plan, killed }: Acceptance): Ending {
  const filledLots = order.filledLots + plan.filledLots;
  if (killed !== null) return { status: 'cancelled', reason: killed };
  if (plan.remainingLots === 0) {
    if (filledLots === order.sizeLots) return { status: 'filled', reason: null };
    return { status: 'cancelled', reason: 'self_trade' };
  }
  if (plan.stopped !== null) return { status: 'cancelled', reason: plan.stopped };
  if (!order.hasPrice) return { status: 'cancelled', reason: 'no_liquidity' };
  if (order.timeInForce === 'IOC') return { status: 'cancelled', reason: 'ioc_remainder' };
  return { status: filledLots > 0 ? 'partially_filled' : 'open', reason: null };
}

export function orderFrom(context: Context, command: RequestedOrder, market: Market): Order {
  const order = new Order({
    orderId: command.orderId ?? context.sequence,
    accountId: command.accountId,
    market,
    clientOrderId: command.clientOrderId,
    side: command.side,
    type: command.orderType,
    timeInForce: command.timeInForce,
    priceTicks: command.priceTicks ?? NaN,
    stopPriceTicks: command.stopPriceTicks,
    sizeLots: command.sizeLots,
    postOnly: command.postOnly,
    reduceOnly: command.reduceOnly,
    selfTradePrevention: command.selfTradePrevention,
    expiresAtMs: command.timeInForce === 'GTD' ? command.expiresAtMs : null,
    feeRates:
      command.feeRates === null
        ? market.changedFeeRates
        : { maker: amountOf(command.feeRates.maker), taker: amountOf(command.feeRates.taker) },
    advanced: advancedTermsOf(command),
    createdAtMs: context.timeMs,
  });
  if (order.isStop) order.status = 'untriggered';
  if (order.isTrailing) order.bestTicks = market.lastPriceTicks;
  if (command.fields !== undefined) order.fields = changedFields(null, command.fields);
  return order;
}

function advancedTermsOf(command: RequestedOrder): AdvancedTerms | null {
  const { quoteSize, displayLots, place, stopTrigger, trailingTicks, trailingBps, isMassQuote } = command;
  return advancedTerms({
    quoteSize: quoteSize === undefined ? null : amount(amountOf(quoteSize)),
    displayLots: displayLots ?? null,
    listId: place?.listId ?? null,
    listRole: place?.listRole ?? null,
    clientListId: place?.clientListId ?? null,
    stopTrigger: stopTrigger === 'mark' ? stopTrigger : null,
    trailingTicks: trailingTicks ?? null,
    trailingBps: trailingBps ?? null,
    origin: isMassQuote === true ? 'mass_quote' : null,
  });
}

export interface Terms {
  readonly sizeLots: number;
  readonly priceTicks: number | null;
  readonly stopPriceTicks: number | null;
  readonly displayLots?: number | undefined;
}

/** An order that shows less would fall into too many trades. */
const PARTS_MAX = 100;

/** Such as `from 0.01 to 1000, the market's min_size and max_size`. */
function sizesOf({ definition }: Market): string {
  const { size } = unitsOf(definition);
  const { minSizeLots, maxSizeLots } = definition;
  return `from ${size.format(minSizeLots)} to ${size.format(maxSizeLots)}, the market's min_size and max_size`;
}

function pricesOf({ definition }: Market): string {
  const { price } = unitsOf(definition);
  const { priceMinTicks, priceMaxTicks } = definition;
  return `from ${price.format(priceMinTicks)} to ${price.format(priceMaxTicks)}, the market's price_min and price_max`;
}

/** Checks the market's own bounds. Prices and sizes are already whole ticks and lots. */
export function checkTerms(market: Market, terms: Terms): Refusal | null {
  const { minSizeLots, maxSizeLots, priceMinTicks, priceMaxTicks, minNotional } = market.definition;
  if (!(terms.sizeLots >= minSizeLots && terms.sizeLots <= maxSizeLots)) {
    return refusal('size_out_of_range', `size must be ${sizesOf(market)}.`);
  }
  const { displayLots = terms.sizeLots } = terms;
  if (
    !(
      displayLots >= minSizeLots &&
      displayLots <= terms.sizeLots &&
      displayLots * PARTS_MAX >= terms.sizeLots
    )
  ) {
    return refusal(
      'size_out_of_range',
      `display_size must be from the market's min_size, ${unitsOf(market.definition).size.format(minSizeLots)}, to size, and a hundredth of size or more.`,
    );
  }
  for (const ticks of [terms.priceTicks, terms.stopPriceTicks]) {
    if (ticks !== null && !(ticks >= priceMinTicks && ticks <= priceMaxTicks)) {
      return refusal('price_out_of_range', `price must be ${pricesOf(market)}.`);
    }
  }
  if (terms.priceTicks !== null && market.notional(terms.priceTicks, terms.sizeLots) < minNotional) {
    const least = formatAmount(minNotional);
    return refusal('min_notional', `price times size must be ${least}, the market's min_notional, or more.`);
  }
  return null;
}

/** Where a trailing stop would trigger now must lie within the market's bounds, as the stop price of others. */
function checkTrailing({ bounds }: Context, order: Order, { share }: Position): Refusal | null {
  const { market, side, bestTicks } = order;
  const left = bounds.trailingStops - market.stops.trailingCount(side) - 1;
  if (share.trailingStops[side] + 1 > left) {
    return refusal(
      'too_many_open_orders',
      'The market has too many trailing stops at the moment, or too many of yours. Place a stop with a stop_price.',
    );
  }
  if (bestTicks === null) {
    return refusal(
      'insufficient_liquidity',
      'Nothing has traded in the market yet, so there is no price to follow. Place a stop with a stop_price.',
    );
  }
  const distance = trailingDistance(order, bestTicks);
  const stopTicks = side === 'sell' ? bestTicks - distance : bestTicks + distance;
  const { priceMinTicks, priceMaxTicks } = market.definition;
  if (distance > 0 && stopTicks >= priceMinTicks && stopTicks <= priceMaxTicks) return null;
  return refusal(
    'price_out_of_range',
    `The stop price would not be ${pricesOf(market)}. Let it follow more closely.`,
  );
}

/** Where the order stops: at its price, or in the band of its market around the best price of the book. */
function limitOf({ hasPrice, market, priceTicks, side }: Order): Pick<Taker, 'limitTicks' | 'atLimit'> {
  if (hasPrice) return { limitTicks: priceTicks, atLimit: null };
  const { marketOrderBandBps: bandBps } = market.definition;
  const best = market.book.oppositeOf(side).best();
  if (bandBps === null || best === undefined)
    return { limitTicks: side === 'buy' ? Infinity : -Infinity, atLimit: null };
  const bandTicks = shareOf(best.priceTicks, bandBps);
  return {
    limitTicks: side === 'buy' ? best.priceTicks + bandTicks : best.priceTicks - bandTicks,
    atLimit: 'band_reached',
  };
}

/** So many hundredths of a percent of a price, in whole ticks, rounded down. */
function shareOf(priceTicks: number, bps: number): number {
  const product = priceTicks * bps;
  return Number.isSafeInteger(product)
    ? Math.floor(product / BPS_PER_ONE)
    : Number((BigInt(priceTicks) * BigInt(bps)) / BigInt(BPS_PER_ONE));
}

/** Whether the order would match an order that has not expired. */
export function wouldCross(order: Pick<Order, 'market' | 'side' | 'priceTicks'>, timeMs: number): boolean {
  const opposite = order.market.book.oppositeOf(order.side);
  for (let index = opposite.levels.length - 1; index >= 0; index--) {
    const level = opposite.levels[index]!;
    if (!opposite.crosses(level, order.priceTicks)) return false;
    for (let maker = level.head; maker !== null; maker = maker.next) {
      if (!hasExpired(maker, timeMs)) return true;
    }
  }
  return false;
}

export function positionOf({ state }: Context, order: Order): Position {
  return accountOf(state, order.accountId).positionIn(order.market);
}

/** How many lots an order may trade before it would open a position. */
export function reducible(state: EngineState, order: Order): number {
  return accountOf(state, order.accountId).positionIn(order.market).reducibleBy(order.side);
}

export function noMatch(order: Order): MatchPlan<Order> {
  return { steps: [], filledLots: 0, remainingLots: order.remainingLots, stopped: null };
}
