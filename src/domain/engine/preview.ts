/**
 * What a command would do, found by the same checks and plans as executing it. A preview changes nothing. It covers the
 * command itself; stops that its trades would trigger run later and are not included.
 */
import { checkAmendment } from './amendments.js';
import type { MatchPlan } from '../matching/match-plan.js';
import { type Amount, UNITS_PER_ONE, ZERO } from '../money/amount.js';
import type {
  AcceptQuote,
  AmendOrder,
  CancelOrder,
  CorrectEventGroup,
  CorrectSettlement,
  SettleEventGroup,
  PlaceOrder,
  Refusal,
  SetMarketStatus,
} from './commands.js';
import { accountOf, type Context, isRefusal } from './context.js';
import {
  type GroupCorrection,
  type GroupSettlement,
  planGroupCorrection,
  planGroupSettlement,
} from './group-settlement.js';
import { endedBy } from './list-following.js';
import {
  beyond,
  otherExitNeeds,
  coverLeftFor,
  feeIncrease,
  holdDifference,
  requiredHold,
  termsOf,
} from './holds.js';
import { type Acceptance, acceptOrder, endingOf, noMatch, planOrder } from './acceptance.js';
import { liveOrder } from './orders.js';
import { type NettingPreview, positionAfter } from './preview-netting.js';
import { checkQuote } from './quotes.js';
import { planCorrection, planSettlement, type Rebooking, type Settlement } from './settlement.js';
import type { EngineState, Order } from './state.js';
import type { OrderStatus, StatusReason } from './types.js';

export type SettleMarket = SetMarketStatus & { readonly status: 'settled' };

export type PreviewableCommand =
  | PlaceOrder
  | AmendOrder
  | CancelOrder
  | AcceptQuote
  | SettleMarket
  | CorrectSettlement
  | SettleEventGroup
  | CorrectEventGroup;

/** The result of each kind of preview. */
interface Previews {
  readonly place_order: OrderPreview;
  readonly amend_order: OrderPreview;
  readonly accept_quote: OrderPreview;
  readonly cancel_order: CancelPreview;
  readonly set_market_status: SettlementPreview;
  readonly correct_settlement: SettlementPreview;
  readonly settle_event_group: GroupSettlementPreview;
  readonly correct_event_group: GroupSettlementPreview;
}

export type PreviewOf<C extends PreviewableCommand> = Previews[C['type']];

/** The order as the command would leave it. */
export interface OrderPreview {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  /** The command's own trades; fees in the quote asset. */
  readonly fills: readonly { readonly priceTicks: number; readonly sizeLots: number; readonly fee: Amount }[];
  /** These four include earlier trades of an amended order. */
  readonly filledLots: number;
  readonly filledNotional: Amount;
  readonly fees: Amount;
  readonly remainingLots: number;
  /** The remaining hold of the resting or waiting part. */
  readonly hold: { readonly asset: string; readonly amount: Amount };
  /** Lots ahead of the resting part at its price; null if nothing rests. */
  readonly queueAheadLots: number | null;
  /** In event groups, what its trades let be netted; null where nothing is. */
  readonly netting: NettingPreview | null;
}

export interface CancelPreview {
  /** Lots that would stay untraded. */
  readonly remainingLots: number;
  /** The decrease of the account's holds, including cover that passes on to later orders. */
  readonly released: { readonly asset: string; readonly amount: Amount };
}

export interface SettlementPreview {
  /** The quote asset, in which everything is paid. */
  readonly asset: string;
  readonly settlementValue: Amount;
  /** Lots on either side: each long contract has a short one. */
  readonly lots: number;
  /**
   * The totals for all longs and all shorts, in the quote asset; for a correction the differences, one of them
   * negative.
   */
  readonly toLongs: Amount;
  readonly toShorts: Amount;
}

export interface GroupSettlementPreview {
  /** The quote asset, in which everything is paid. */
  readonly asset: string;
  /**
   * To those who are long in the market that wins, and to those who are short in the others; for a correction the
   * differences.
   */
  readonly toLongs: Amount;
  readonly toShorts: Amount;
  /** What accounts would pay back, for others to get; zero for a settlement. */
  readonly paidBack: Amount;
}

export function previewCommand(
  context: Context,
  command: PreviewableCommand,
): Previews[keyof Previews] | Refusal {
  switch (command.type) {
    case 'place_order':
      return previewAcceptance(context.state, acceptOrder(context, command));
    case 'accept_quote':
      return previewAcceptance(context.state, checkQuote(context, command));
    case 'amend_order':
      return previewAmendment(context, command);
    case 'cancel_order':
      return previewCancel(context.state, command);
    case 'set_market_status':
      return describeSettlement(planSettlement(context, command));
    case 'correct_settlement':
      return describeSettlement(planCorrection(context, command));
    case 'settle_event_group':
      return describeGroupSettlement(planGroupSettlement(context, command));
    case 'correct_event_group':
      return describeGroupCorrection(planGroupCorrection(context, command));
  }
}

function previewAcceptance(state: EngineState, accepted: Acceptance | Refusal): OrderPreview | Refusal {
  if (isRefusal(accepted)) return accepted;
  const { order, plan } = accepted;
  if (order.status === 'untriggered') return describe(state, order, plan, WAITING, null);
  const { market, side, priceTicks } = order;
  const level = market.book.sideOf(side).levelAt(priceTicks);
  return describe(state, order, plan, endingOf(accepted), level?.shownLots ?? 0);
}

function previewAmendment(context: Context, command: AmendOrder): OrderPreview | Refusal {
  const amendment = checkAmendment(context, command);
  if (isRefusal(amendment)) return amendment;
  const { order, priceTicks, sizeLots, remainingLots, effect } = amendment;
  const twin = order.twin();
  twin.priceTicks = priceTicks;
  twin.sizeLots = sizeLots;
  twin.remainingLots = remainingLots;
  const { state } = context;
  switch (effect) {
    case 'ends':
      return describe(state, twin, noMatch(twin), AMENDED_TO_FILLED, null);
    case 'stays': {
      const ending = { status: order.status, reason: order.statusReason };
      return describe(state, twin, noMatch(twin), ending, order.level === null ? null : lotsBefore(order));
    }
    case 'moves': {
      const accepted = planOrder(context, twin);
      if (isRefusal(accepted)) return accepted;
      const level = order.market.book.sideOf(order.side).levelAt(priceTicks);
      // An order whose size alone grows leaves the same queue that it joins again at the end.
      const ownLots = order.level !== null && order.level === level ? order.shownLots : 0;
      const queueAheadLots = (level?.shownLots ?? 0) - ownLots;
      return describe(state, twin, accepted.plan, endingOf(accepted), queueAheadLots);
    }
  }
}

interface OrderEnding {
  readonly status: OrderStatus;
  readonly reason: StatusReason | null;
}

const WAITING: OrderEnding = { status: 'untriggered', reason: null };
const AMENDED_TO_FILLED: OrderEnding = { status: 'cancelled', reason: 'amended_to_filled' };

/** The order after its plan, with `ending` as its status; `queueAheadLots` counts only if it rests. */
function describe(
  state: EngineState,
  order: Order,
  plan: MatchPlan<Order>,
  ending: OrderEnding,
  queueAheadLots: number | null,
): OrderPreview {
  const { market } = order;
  const fee = { fees: order.fees, feeRounding: order.feeRounding };
  let { filledNotional } = order;
  const fills: { priceTicks: number; sizeLots: number; fee: Amount }[] = [];
  for (const step of plan.steps) {
    if (step.kind !== 'fill') continue;
    const { priceTicks } = step.maker;
    const exact = order.takerFeeRate * market.feeBase(priceTicks, step.lots);
    const increase = feeIncrease(fee, exact);
    fee.fees += increase;
    fee.feeRounding += increase * UNITS_PER_ONE - exact;
    filledNotional += market.notional(priceTicks, step.lots);
    fills.push({ priceTicks, sizeLots: step.lots, fee: increase as Amount });
  }
  const rests = ending.status === 'open' || ending.status === 'partially_filled';
  let held: Amount = ZERO;
  const staysPriced = (rests || ending.status === 'untriggered') && order.hasPrice;
  const { sizeLots, netting } = positionAfter(state, order, plan, staysPriced ? plan.remainingLots : 0);
  if (staysPriced) {
    const position = accountOf(state, order.accountId).positionIn(market);
    const cover = market.isEvent ? coverLeftFor(position, order, sizeLots) : 0;
    const terms = termsOf(order, plan.remainingLots, Math.min(cover, plan.remainingLots));
    const other = order.isStop ? otherExitNeeds(state, order) : 0n;
    held = beyond(requiredHold(market, { ...terms, ...fee }), other) as Amount;
  }
  return {
    status: ending.status,
    statusReason: ending.reason,
    fills,
    filledLots: order.filledLots + plan.filledLots,
    filledNotional: filledNotional as Amount,
    fees: fee.fees as Amount,
    remainingLots: plan.remainingLots,
    hold: { asset: order.heldAsset, amount: held },
    queueAheadLots: rests ? queueAheadLots : null,
    netting,
  };
}

function lotsBefore(order: Order): number {
  let lots = 0;
  for (let other = order.previous; other !== null; other = other.previous) lots += other.shownLots;
  return lots;
}

function previewCancel(state: EngineState, command: CancelOrder): CancelPreview | Refusal {
  const order = liveOrder(state, command.accountId, command.orderId);
  if (isRefusal(order)) return order;
  return {
    remainingLots: order.remainingLots,
    released: { asset: order.heldAsset, amount: releasedBy(state, order) as Amount },
  };
}

function releasedBy(state: EngineState, order: Order): bigint {
  const { market } = order;
  const ending = [order, ...endedBy(state, order)];
  if (!market.isEvent)
    return ending.reduce((sum, one) => sum + (one.heldAsset === order.heldAsset ? one.held : 0n), 0n);
  const position = accountOf(state, order.accountId).positionIn(market);
  const priced = ending.filter(({ hasPrice, coverSlot }) => hasPrice && coverSlot >= 0);
  return -holdDifference(
    position,
    position.sizeLots,
    priced.map((one) => ({ order: one, priceTicks: one.priceTicks, lots: 0 })),
  );
}

function describeSettlement(settlement: Settlement | Refusal): SettlementPreview | Refusal {
  if (isRefusal(settlement)) return settlement;
  const { market, value, lots, toLongs, toShorts } = settlement;
  return {
    asset: market.definition.quoteAsset,
    settlementValue: value,
    lots,
    toLongs: toLongs as Amount,
    toShorts: toShorts as Amount,
  };
}

function describeGroupSettlement(settlement: GroupSettlement | Refusal): GroupSettlementPreview | Refusal {
  if (isRefusal(settlement)) return settlement;
  const { group, markets, winner } = settlement;
  const losers = markets.filter((market) => market !== winner);
  return {
    asset: group.quoteAsset,
    toLongs: group.sizeOf(winner.openInterestLots) as Amount,
    toShorts: losers.reduce((sum, { shortLots }) => sum + group.sizeOf(shortLots), 0n) as Amount,
    paidBack: ZERO,
  };
}

function describeGroupCorrection(correction: GroupCorrection | Refusal): GroupSettlementPreview | Refusal {
  if (isRefusal(correction)) return correction;
  const { group, rebookings, differences } = correction;
  const sum = (units: readonly bigint[]): Amount => units.reduce((all, one) => all + one, 0n) as Amount;
  const isLong = ({ position }: Rebooking): boolean => position.settledLots > 0;
  return {
    asset: group.quoteAsset,
    toLongs: sum(rebookings.filter(isLong).map(({ units }) => units)),
    toShorts: sum(rebookings.filter((one) => !isLong(one)).map(({ units }) => units)),
    paidBack: sum(differences.map(({ units }) => beyond(0n, units))),
  };
}
