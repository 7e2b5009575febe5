/**
 * What a command would do, found by the same checks and plans as executing it. A preview changes nothing. It covers the
 * command itself; stops that its trades would trigger run later and are not included.
 */
import { checkAmendment } from './amendments.js';
import { type Amount, ZERO } from '../money/amount.js';
import type {
  AcceptQuote,
  AmendOrder,
  CancelOrder,
  CorrectEventGroup,
  CorrectSettlement,
  PlaceOrder,
  PlaceOrderList,
  Refusal,
  ReplaceOrder,
  SetMarketStatus,
  SettleEventGroup,
} from './commands.js';
import { accountOf, type Context, isRefusal } from './context.js';
import {
  type GroupCorrection,
  type GroupSettlement,
  planGroupCorrection,
  planGroupSettlement,
} from './group-settlement.js';
import { endedBy } from './list-following.js';
import { beyond, releasedBy } from './holds.js';
import { acceptOrder, endingOf, noMatch, orderFrom, planOrder } from './acceptance.js';
import { liveOrder } from './orders.js';
import { type OrderListPreview, previewOrderList } from './preview-list.js';
import { AMENDED_TO_FILLED, describe, type OrderPreview, previewAcceptance } from './preview-order.js';
import { checkQuote } from './quotes.js';
import { checkReplacement } from './replacements.js';
import { givenBackBy } from './self-limits.js';
import { withoutOrders } from './set-aside.js';
import { planCorrection, planSettlement, type Rebooking, type Settlement } from './settlement.js';
import type { EngineState, Order } from './state.js';
import type { StatusReason } from './types.js';

export type { OrderListPreview, OrderPreview };

export type SettleMarket = SetMarketStatus & { readonly status: 'settled' };

export type PreviewableCommand =
  | PlaceOrder
  | PlaceOrderList
  | ReplaceOrder
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
  readonly place_order_list: OrderListPreview;
  readonly replace_order: ReplacementPreview;
  readonly amend_order: OrderPreview;
  readonly accept_quote: OrderPreview;
  readonly cancel_order: CancelPreview;
  readonly set_market_status: SettlementPreview;
  readonly correct_settlement: SettlementPreview;
  readonly settle_event_group: GroupSettlementPreview;
  readonly correct_event_group: GroupSettlementPreview;
}

export type PreviewOf<C extends PreviewableCommand> = Previews[C['type']];

export interface CancelPreview {
  /** Lots that would stay untraded. */
  readonly remainingLots: number;
  /** The decrease of the account's holds, including cover that passes on to later orders. */
  readonly released: { readonly asset: string; readonly amount: Amount };
}

export interface ReplacementPreview {
  /** The order that goes. */
  readonly replaced: CancelPreview;
  /** The new one; `rejected` where it would not be accepted. */
  readonly order: OrderPreview;
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
    case 'place_order_list':
      return previewOrderList(context, command);
    case 'replace_order':
      return previewReplacement(context, command);
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

function previewReplacement(context: Context, command: ReplaceOrder): ReplacementPreview | Refusal {
  const replacement = checkReplacement(context, command);
  if (isRefusal(replacement)) return replacement;
  const { replaced, request } = replacement;
  const { state } = context;
  const given = givenBackBy(accountOf(state, replaced.accountId), replaced);
  const ending = [replaced, ...endedBy(state, replaced)] as const;
  const order = withoutOrders(context, ending, command.side, (after): OrderPreview => {
    const accepted = acceptOrder(after, request, given);
    const preview = previewAcceptance(state, accepted);
    if (!isRefusal(preview)) return preview;
    const rejected = orderFrom(after, request, replaced.market);
    const ends = { status: 'rejected', reason: preview.code as StatusReason } as const;
    return describe(state, rejected, noMatch(rejected), ends, null);
  });
  return { replaced: describeCancelled(state, replaced), order };
}

function lotsBefore(order: Order): number {
  let lots = 0;
  for (let other = order.previous; other !== null; other = other.previous) lots += other.shownLots;
  return lots;
}

function previewCancel(state: EngineState, command: CancelOrder): CancelPreview | Refusal {
  const order = liveOrder(state, command.accountId, command.orderId);
  return isRefusal(order) ? order : describeCancelled(state, order);
}

function describeCancelled(state: EngineState, order: Order): CancelPreview {
  return {
    remainingLots: order.remainingLots,
    released: {
      asset: order.heldAsset,
      amount: releasedBy(state, [order, ...endedBy(state, order)]) as Amount,
    },
  };
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
