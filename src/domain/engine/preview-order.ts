/** What a command would make of an order, as every preview of orders tells it. */
import type { MatchPlan } from '../matching/match-plan.js';
import { type Amount, UNITS_PER_ONE, ZERO } from '../money/amount.js';
import { type Acceptance, endingOf } from './acceptance.js';
import type { Refusal } from './commands.js';
import { accountOf, isRefusal } from './context.js';
import { beyond, coverLeftFor, feeIncrease, otherExitNeeds, requiredHold, termsOf } from './holds.js';
import { type NettingPreview, positionAfter } from './preview-netting.js';
import type { EngineState, Order } from './state.js';
import type { OrderStatus, StatusReason } from './types.js';

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

/** `nets` is false where something else of the command decides whether its trades let anything be netted. */
export function previewAcceptance(
  state: EngineState,
  accepted: Acceptance | Refusal,
  nets = true,
): OrderPreview | Refusal {
  if (isRefusal(accepted)) return accepted;
  const { order, plan } = accepted;
  if (order.status === 'untriggered') return describe(state, order, plan, WAITING, null);
  const { market, side, priceTicks } = order;
  const level = market.book.sideOf(side).levelAt(priceTicks);
  return describe(state, order, plan, endingOf(accepted), level?.shownLots ?? 0, nets);
}

export interface OrderEnding {
  readonly status: OrderStatus;
  readonly reason: StatusReason | null;
}

export const WAITING: OrderEnding = { status: 'untriggered', reason: null };
export const AMENDED_TO_FILLED: OrderEnding = { status: 'cancelled', reason: 'amended_to_filled' };

/** The order after its plan, with `ending` as its status; `queueAheadLots` counts only if it rests. */
export function describe(
  state: EngineState,
  order: Order,
  plan: MatchPlan<Order>,
  ending: OrderEnding,
  queueAheadLots: number | null,
  nets = true,
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
  const restingLots = staysPriced ? plan.remainingLots : 0;
  const { sizeLots, netting } = positionAfter(state, order, plan, { restingLots, nets });
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
