/**
 * What placing an order list would do. The entry, and a pair without one, are previewed as orders that come alone; exits as
 * the entry's own fills arm them. An exit that could trade at once is told as triggered: it runs later, as stops do.
 */
import type { Amount } from '../money/amount.js';
import { type Acceptance, noMatch } from './acceptance.js';
import type { PlaceOrderList, Refusal } from './commands.js';
import { type Context, isRefusal } from './context.js';
import { beyond } from './holds.js';
import { acceptOrderList } from './order-lists.js';
import { AfterPlan } from './after-plan.js';
import { describe, type OrderPreview, previewAcceptance, WAITING } from './preview-order.js';
import type { Order } from './state.js';
import type { StatusReason } from './types.js';

/** The orders as the command would leave them: the entry, if there is one, the limit order, the stop. */
export interface OrderListPreview {
  readonly orders: readonly OrderPreview[];
}

export function previewOrderList(context: Context, command: PlaceOrderList): OrderListPreview | Refusal {
  const list = acceptOrderList(context, command);
  if (isRefusal(list)) return list;
  const [first, second] = list.accepted as [Acceptance, Acceptance | undefined];
  if (second !== undefined) return { orders: previewPair(context, first, second) };
  // Exits that are armed need the contracts that netting would take.
  const entry = previewAcceptance(context.state, first, false) as OrderPreview;
  if (entry.filledLots > 0) return { orders: [entry, ...previewArmed(context, first, entry, list.waiting)] };
  const isLive = entry.status === 'open' || entry.status === 'untriggered';
  const exits = list.waiting.map((exit) =>
    isLive ? describe(context.state, exit, noMatch(exit), AWAITING_ENTRY, null) : ended(context, exit),
  );
  return { orders: [entry, ...exits] };
}

const AWAITING_ENTRY = { status: 'untriggered', reason: 'awaiting_entry' } as const;
const TRIGGERED = { status: 'untriggered', reason: 'triggered' } as const;
const ENDED_WITH_LIST = { status: 'cancelled', reason: 'order_list' } as const;
const RESTING = { status: 'open', reason: null } as const;

function ended({ state }: Context, exit: Order): OrderPreview {
  return describe(state, exit, noMatch(exit), ENDED_WITH_LIST, null);
}

/** Together both hold the larger of what each needs: the stop what it needs beyond the limit order. */
function previewPair(context: Context, limit: Acceptance, stop: Acceptance): OrderPreview[] {
  const first = previewAcceptance(context.state, limit) as OrderPreview;
  if (first.status !== 'open') return [first, ended(context, stop.order)];
  const second = previewAcceptance(context.state, stop) as OrderPreview;
  return [first, holding(second, beyond(second.hold.amount, first.hold.amount))];
}

/** The exits once the entry has filled what it fills at once; their checks are those of arming them. */
function previewArmed(
  context: Context,
  accepted: Acceptance,
  entry: OrderPreview,
  exits: readonly Order[],
): OrderPreview[] {
  const after = new AfterPlan(context, accepted, entry);
  const previews: OrderPreview[] = [];
  for (const exit of exits) {
    exit.sizeLots = entry.filledLots;
    exit.remainingLots = entry.filledLots;
    const hold = after.holdOf(exit);
    const refused = after.check(exit, hold);
    if (refused === null) after.arm(exit, hold);
    previews.push(describeArmed(context, after, exit, refused === null ? hold : refused));
  }
  return previews;
}

function describeArmed(
  { state }: Context,
  after: AfterPlan,
  exit: Order,
  armed: bigint | Refusal,
): OrderPreview {
  const plan = noMatch(exit);
  if (isRefusal(armed)) {
    const rejected = { status: 'rejected', reason: armed.code as StatusReason } as const;
    return describe(state, exit, plan, rejected, null);
  }
  if (exit.isStop) return holding(describe(state, exit, plan, WAITING, null), armed);
  if (after.crosses(exit)) return holding(describe(state, exit, plan, TRIGGERED, null), armed);
  return holding(describe(state, exit, plan, RESTING, after.shownLotsAt(exit)), armed);
}

function holding(preview: OrderPreview, amount: bigint): OrderPreview {
  return { ...preview, hold: { asset: preview.hold.asset, amount: amount as Amount } };
}
