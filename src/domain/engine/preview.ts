/** What placing an order would do, read off the same acceptance that placing it would carry out. */
import { type Amount, UNITS_PER_ONE, ZERO } from '../money/amount.js';
import { accountOf } from './context.js';
import { feeIncrease, freeCover, requiredHold, termsOf } from './holds.js';
import { type Acceptance, endingOf } from './orders.js';
import type { EngineState } from './state.js';
import type { OrderStatus, StatusReason } from './types.js';

export interface OrderPreview {
  readonly status: OrderStatus;
  readonly statusReason: StatusReason | null;
  readonly fills: readonly { readonly priceTicks: number; readonly sizeLots: number; readonly fee: Amount }[];
  readonly filledLots: number;
  readonly filledNotional: Amount;
  readonly fees: Amount;
  readonly remainingLots: number;
  /** What would stay held for the resting or waiting part. */
  readonly hold: { readonly asset: string; readonly amount: Amount };
  /** Lots that would stand before the resting part at its price; null when nothing rests. */
  readonly queueAheadLots: number | null;
}

export function previewOf(state: EngineState, acceptance: Acceptance): OrderPreview {
  const { order, plan } = acceptance;
  const { market } = order;
  const isWaiting = order.status === 'untriggered';
  const ending = isWaiting ? ({ status: 'untriggered', reason: null } as const) : endingOf(acceptance);
  const fee = { fees: 0n, feeRounding: 0n };
  let filledNotional = 0n;
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
  if ((rests || isWaiting) && order.hasPrice) {
    const position = accountOf(state, order.accountId).positionIn(market);
    const cover = market.isEvent ? Math.max(0, freeCover(position, order.side) - plan.filledLots) : 0;
    const terms = termsOf(order, plan.remainingLots, Math.min(cover, plan.remainingLots));
    held = requiredHold(market, { ...terms, ...fee }) as Amount;
  }
  const level = market.book.sideOf(order.side).levelAt(order.priceTicks);
  return {
    status: ending.status,
    statusReason: ending.reason,
    fills,
    filledLots: plan.filledLots,
    filledNotional: filledNotional as Amount,
    fees: fee.fees as Amount,
    remainingLots: plan.remainingLots,
    hold: { asset: order.heldAsset, amount: held },
    queueAheadLots: rests ? (level?.totalLots ?? 0) : null,
  };
}
