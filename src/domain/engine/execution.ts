/** Executes a match plan: fills, fees, positions and the money of both kinds of market. */
import type { MatchPlan } from '../matching/match-plan.js';
import { invariant } from '../invariant.js';
import { type Amount, mulDiv, UNITS_PER_ONE } from '../money/amount.js';
import { accountOf, type Context, poolOf } from './context.js';
import { feeIncrease } from './holds.js';
import { feesAccount, transfer } from './ledger.js';
import { countQuoteFill } from './maker-protection.js';
import { bookFill, type FillSplit } from './positions.js';
import type { Account, Market, Order } from './state.js';
import { trail } from './stops.js';
import type { Side, StatusReason } from './types.js';

/** Ends an order: removes it from the book, the stops and the indexes. `settleHolds` releases its hold. */
export function endOrder(
  context: Context,
  order: Order,
  status: 'filled' | 'cancelled' | 'expired' | 'rejected',
  reason: StatusReason | null,
): void {
  invariant(order.isLive, 'an order ends once', order.orderId, order.status);
  if (order.level !== null) {
    context.changes.level(order.market, order.side, order.priceTicks);
    order.market.book.sideOf(order.side).remove(order);
  }
  invariant(order.level === null, 'an order that has ended is in no book', order.orderId);
  context.state.unindexOrder(order);
  order.status = status;
  order.statusReason = reason;
  markChanged(context, order);
}

/** Marks an order as changed, so that it is written and hashed and its hold is updated. */
export function markChanged(context: Context, order: Order): void {
  const { market } = order;
  context.changes.touch(market, context.timeMs);
  order.bookSequence = market.bookSequence;
  order.updatedAtMs = context.timeMs;
  context.state.recountLots(order);
  context.changes.order(order);
  context.unsettled.orders.add(order);
  if (order.listId !== null) noteListed(context, order);
  if (market.isEvent) {
    context.unsettled.positions.add(accountOf(context.state, order.accountId).positionIn(market));
  }
}

/** Marks a stop as triggered: it runs in its turn. */
export function noteTriggered(context: Context, order: Order): void {
  invariant(
    order.status === 'untriggered' && order.statusReason !== 'triggered',
    'a stop that waits triggers once',
    order.orderId,
    order.status,
  );
  order.statusReason = 'triggered';
  markChanged(context, order);
}

/** The other orders of its list may follow, and what the other exit holds. */
function noteListed({ state, unsettled }: Context, order: Order): void {
  unsettled.listed.add(order);
  for (const other of state.othersInList(order)) unsettled.orders.add(other);
}

/** Executes the plan of a taker that is not in the book. */
export function executePlan(context: Context, taker: Order, plan: MatchPlan<Order>): void {
  const { market } = taker;
  const makers = market.book.oppositeOf(taker.side);
  for (const step of plan.steps) {
    const { maker } = step;
    switch (step.kind) {
      case 'fill':
        fill(context, taker, maker, step.lots);
        break;
      case 'decrement':
        invariant(
          step.lots > 0 && step.lots <= taker.remainingLots,
          'orders of one owner become smaller by what both have left',
          taker.orderId,
          maker.orderId,
          step.lots,
        );
        context.changes.level(market, maker.side, maker.priceTicks);
        makers.reduce(maker, step.lots);
        taker.remainingLots -= step.lots;
        if (maker.remainingLots === 0) endOrder(context, maker, 'cancelled', 'self_trade');
        else {
          makers.hide(maker, hiddenLotsOf(maker));
          markChanged(context, maker);
        }
        break;
      case 'cancel':
        endOrder(context, maker, 'cancelled', step.reason);
        break;
      case 'expire':
        endOrder(context, maker, 'expired', null);
        break;
    }
  }
}

function fill(context: Context, taker: Order, maker: Order, lots: number): void {
  requireFillable(taker, maker, lots);
  const { state, changes, timeMs } = context;
  const { market } = taker;
  const priceTicks = maker.priceTicks;
  changes.touch(market, timeMs);
  changes.level(market, maker.side, priceTicks);

  const tradeId = ++state.sequence;
  const makerAccount = accountOf(state, maker.accountId);
  const takerAccount = accountOf(state, taker.accountId);
  const takerFee = chargeFee(market, taker, taker.takerFeeRate, priceTicks, lots);
  const makerFee =
    maker.makerFeeRate < 0n
      ? -grantRebate(maker, priceTicks, lots, takerFee)
      : chargeFee(market, maker, maker.makerFeeRate, priceTicks, lots);
  const makerSplit = bookSide(context, makerAccount, maker, priceTicks, lots, makerFee);
  const takerSplit = bookSide(context, takerAccount, taker, priceTicks, lots, takerFee);

  const notional = market.notional(priceTicks, lots);
  checkFees(tradeId, notional, takerFee, makerFee);
  const reference = tradeId.toString();
  const trade = { market, priceTicks, notional, reference };
  if (market.isEvent) {
    settleContracts(context, trade, makerAccount, maker.side, makerSplit);
    settleContracts(context, trade, takerAccount, taker.side, takerSplit);
    const [buyer, seller] = taker.side === 'buy' ? [takerSplit, makerSplit] : [makerSplit, takerSplit];
    changeInterest(market, tradeId, buyer.openedLots - seller.closedLots);
  } else {
    const [buyer, seller] =
      taker.side === 'buy' ? [takerAccount, makerAccount] : [makerAccount, takerAccount];
    settleAssets(context, trade, buyer, seller, lots);
  }
  payFee(context, market, makerAccount, makerFee, reference);
  payFee(context, market, takerAccount, takerFee, reference);
  payRebate(context, market, makerAccount, -makerFee, reference);

  market.book.sideOf(maker.side).reduce(maker, lots);
  taker.remainingLots -= lots;
  for (const order of [maker, taker]) addFill(context, order, lots, notional);
  if (maker.remainingLots === 0) endOrder(context, maker, 'filled', null);
  else {
    maker.status = 'partially_filled';
    if (maker.displayLots !== Infinity) showMore(maker, tradeId);
    markChanged(context, maker);
  }
  market.noteTradedAt(priceTicks);
  trail(context, market, (order) => noteTriggered(context, order));

  changes.trades.push({
    tradeId,
    marketId: market.definition.marketId,
    priceTicks,
    sizeLots: lots,
    notional: notional as Amount,
    takerSide: taker.side,
    makerOrderId: maker.orderId,
    takerOrderId: taker.orderId,
    makerAccountId: maker.accountId,
    takerAccountId: taker.accountId,
    makerFee: makerFee as Amount,
    takerFee: takerFee as Amount,
    executedAtMs: timeMs,
    bookSequence: market.bookSequence,
  });
}

function changeInterest(market: Market, tradeId: number, lots: number): void {
  market.openInterestLots += lots;
  const { openInterestLots } = market;
  invariant(openInterestLots >= 0, 'no more contracts are closed than are open', tradeId, openInterestLots);
}

function addFill(context: Context, order: Order, lots: number, notional: bigint): void {
  order.filledLots += lots;
  order.filledNotional += notional;
  invariant(
    order.filledLots + order.remainingLots <= order.sizeLots,
    'no order fills beyond its size',
    order.orderId,
    order.filledLots,
    order.remainingLots,
  );
  if (order.isMassQuote) countQuoteFill(context, order.accountId);
}

/** Lots of an order in the book that its `displayLots` hides. */
export function hiddenLotsOf(order: Order): number {
  return order.remainingLots - order.shownLots;
}

/** An iceberg that has traded all it showed shows its next part, at the end of the queue. */
function showMore(order: Order, tradeId: number): void {
  const side = order.market.book.sideOf(order.side);
  if (order.filledLots % order.displayLots !== 0) return side.hide(order, hiddenLotsOf(order));
  side.remove(order);
  order.hiddenLots = hiddenLotsOf(order);
  order.queueSequence = tradeId;
  side.add(order);
}

/** Checks that the state has not changed since the plan was made. */
function requireFillable(taker: Order, maker: Order, lots: number): void {
  const { orderId } = taker;
  invariant(
    lots > 0 && lots <= maker.remainingLots && lots <= taker.remainingLots,
    'a fill is no larger than what is left of both orders',
    orderId,
    maker.orderId,
    lots,
  );
  invariant(
    maker.side !== taker.side && maker.accountId !== taker.accountId,
    'a fill is between two accounts and two sides',
    orderId,
    maker.orderId,
  );
  invariant(maker.market === taker.market && maker.level !== null, 'a maker is in the book', maker.orderId);
  // Orders without a price have NaN, which is beyond nothing.
  const isBeyond =
    taker.side === 'buy' ? maker.priceTicks > taker.priceTicks : maker.priceTicks < taker.priceTicks;
  invariant(!isBeyond, 'no order trades beyond its limit', orderId, maker.priceTicks, taker.priceTicks);
}

/** Nobody pays more in fees than was traded, and no trade costs the house. */
function checkFees(tradeId: number, notional: bigint, takerFee: bigint, makerFee: bigint): void {
  invariant(takerFee >= 0n && takerFee <= notional, 'a taker pays a part of the trade', tradeId, takerFee);
  invariant(makerFee <= notional, 'a maker pays a part of the trade', tradeId, makerFee);
  invariant(makerFee >= 0n || -makerFee <= takerFee, 'a rebate is paid by its trade', tradeId, makerFee);
}

/** Adds this fill's share to the order's fee: the increase of the total, which is rounded up once. */
function chargeFee(market: Market, order: Order, rate: bigint, priceTicks: number, lots: number): bigint {
  if (rate === 0n) return 0n;
  const exact = rate * market.feeBase(priceTicks, lots);
  const increase = feeIncrease(order, exact);
  order.feeRounding += increase * UNITS_PER_ONE - exact;
  order.fees += increase;
  invariant(
    order.feeRounding >= 0n && order.feeRounding < UNITS_PER_ONE,
    'what is rounded up of a fee is below one unit',
    order.orderId,
    order.feeRounding,
  );
  return increase;
}

/**
 * What the maker of a fill is paid, rounded down. It is never more than the taker pays for the same fill, whose rate may be
 * of another schedule: so no trade costs the house, and the account of fees cannot become negative. Rebates leave the
 * rounding of the order's fees alone.
 */
function grantRebate(maker: Order, priceTicks: number, lots: number, takerFee: bigint): bigint {
  const full = mulDiv(-maker.makerFeeRate, maker.market.feeBase(priceTicks, lots), UNITS_PER_ONE, 'down');
  const rebate = full < takerFee ? full : takerFee;
  maker.fees -= rebate;
  return rebate;
}

function bookSide(
  context: Context,
  account: Account,
  order: Order,
  priceTicks: number,
  lots: number,
  fee: bigint,
): FillSplit {
  const position = account.positionIn(order.market);
  context.changes.position(position);
  if (order.market.group !== null) context.unsettled.filled.add(position);
  return bookFill(position, order.market, order.side, priceTicks, lots, fee);
}

interface SettledTrade {
  readonly market: Market;
  readonly priceTicks: number;
  readonly notional: bigint;
  readonly reference: string;
}

/** The buyer pays in the quote asset, the seller delivers the base asset. */
function settleAssets(
  context: Context,
  { market, notional, reference }: SettledTrade,
  buyer: Account,
  seller: Account,
  lots: number,
): void {
  const { baseAsset, quoteAsset } = market.definition;
  const size = market.sizeOf(lots);
  const paid = transfer(context, buyer, seller, {
    asset: quoteAsset,
    units: notional,
    reason: 'trade',
    reference,
  });
  const delivered = transfer(context, seller, buyer, {
    asset: baseAsset!,
    units: size,
    reason: 'trade',
    reference,
  });
  invariant(paid > 0 && delivered === paid + 1, 'a trade is paid, and then delivered', paid, delivered);
}

/** Opening contracts are paid into the market's pool, closing ones are paid out of it. */
function settleContracts(
  context: Context,
  { market, priceTicks, reference }: SettledTrade,
  account: Account,
  side: Side,
  split: FillSplit,
): void {
  const pool = poolOf(context.state, market);
  const { quoteAsset } = market.definition;
  const value = (lots: number, asBuyer: boolean): bigint => {
    const notional = market.notional(priceTicks, lots);
    return asBuyer ? notional : market.sizeOf(lots) - notional;
  };
  const isBuy = side === 'buy';
  const opened = value(split.openedLots, isBuy);
  const closed = value(split.closedLots, !isBuy);
  transfer(context, account, pool, { asset: quoteAsset, units: opened, reason: 'event_open', reference });
  transfer(context, pool, account, { asset: quoteAsset, units: closed, reason: 'event_close', reference });
}

function payFee(context: Context, market: Market, account: Account, fee: bigint, reference: string): void {
  if (fee <= 0n) return;
  const asset = market.definition.quoteAsset;
  transfer(context, account, feesAccount(context), { asset, units: fee, reason: 'fee', reference });
}

/** Paid last, out of what the taker has just paid. */
function payRebate(
  context: Context,
  market: Market,
  account: Account,
  rebate: bigint,
  reference: string,
): void {
  if (rebate <= 0n) return;
  const asset = market.definition.quoteAsset;
  transfer(context, feesAccount(context), account, { asset, units: rebate, reason: 'rebate', reference });
}
