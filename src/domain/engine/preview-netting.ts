/** What netting would do once an order has traded as planned; see `netting.ts`. */
import type { MatchPlan } from '../matching/match-plan.js';
import type { Amount } from '../money/amount.js';
import { accountOf } from './context.js';
import { coverLeftFor, holdDifference, type OtherTerms, requiredHold, termsOf } from './holds.js';
import { endedBy } from './list-following.js';
import { contractsOf, planNetting } from './netting.js';
import type { Contracts } from './position.js';
import type { Account, EngineState, Order, Position } from './state.js';
import type { Side } from './types.js';

/** Trades of sets with the pool of the order's event group. */
export interface NettingPreview {
  /** Complete sets that become money. */
  readonly mergedLots: number;
  /** Sets that close shorts in several markets, and leave long contracts in the others. */
  readonly convertedLots: number;
  /** What the pool pays for both, in the quote asset. */
  readonly paid: Amount;
  /** By how much less the account's orders in the group hold then. */
  readonly released: Amount;
}

/** The size of the order's position in the end, and the netting that led to it; null where nothing is netted. */
export interface PositionAfter {
  readonly sizeLots: number;
  readonly netting: NettingPreview | null;
}

interface Rest {
  /** What is left of the order, where it stays live and has a price. */
  readonly restingLots: number;
  /** Whether netting is asked about. */
  readonly nets: boolean;
}

export function positionAfter(
  state: EngineState,
  order: Order,
  plan: MatchPlan<Order>,
  { restingLots, nets }: Rest,
): PositionAfter {
  const { market, side } = order;
  const account = accountOf(state, order.accountId);
  const position = account.positionIn(market);
  const sizeLots = position.sizeLots + (side === 'buy' ? plan.filledLots : -plan.filledLots);
  const { group } = market;
  if (group === null || plan.filledLots === 0 || !nets) return { sizeLots, netting: null };
  const others = changedTerms(state, order, plan, restingLots);
  const traded = { sizeLots, cover: coverAfter(position, order, others, restingLots) };
  const index = group.marketIds.indexOf(market.definition.marketId);
  const { trades, paid, sizesLots } = planNetting(group, contractsOf(account, group).with(index, traded));
  if (trades.length === 0) return { sizeLots, netting: null };
  const nettedLots = sizesLots[index]!;
  const lotsOf = (kind: Side): number =>
    trades.reduce((sum, trade) => sum + (trade.side === kind ? trade.lots : 0), 0);
  const holdAt = (size: number): bigint =>
    holdDifference(position, size, others) +
    (isQueued(order) ? 0n : ownHold(position, order, size, restingLots));
  const released =
    holdAt(sizeLots) -
    holdAt(nettedLots) -
    sizesLots.reduce(
      (sum, size, at) => (at === index ? sum : sum + differenceIn(account, group.marketIds[at]!, size)),
      0n,
    );
  const netting = {
    mergedLots: lotsOf('sell'),
    convertedLots: lotsOf('buy'),
    paid: paid as Amount,
    released: released as Amount,
  };
  return { sizeLots: nettedLots, netting };
}

function differenceIn(account: Account, marketId: string, sizeLots: number): bigint {
  const position = account.positions.get(marketId);
  return position === undefined ? 0n : holdDifference(position, sizeLots, []);
}

/** An order that is amended is in the queue of those that the position covers; a new one comes last. */
function isQueued({ coverSlot }: Order): boolean {
  return coverSlot >= 0;
}

function ownHold(position: Position, order: Order, sizeLots: number, lots: number): bigint {
  const coveredLots = Math.min(coverLeftFor(position, order, sizeLots), lots);
  return lots === 0 ? 0n : requiredHold(order.market, termsOf(order, lots, coveredLots));
}

/** The account's orders in the market that the plan changes or ends, with those of their lists, and the amended order itself. */
function changedTerms(
  state: EngineState,
  order: Order,
  plan: MatchPlan<Order>,
  restingLots: number,
): OtherTerms[] {
  const lotsLeft = new Map<Order, number>();
  const end = (ending: Order): void => {
    lotsLeft.set(ending, 0);
    for (const other of endedBy(state, ending)) lotsLeft.set(other, 0);
  };
  for (const step of plan.steps) {
    const { kind, maker } = step;
    if (maker.accountId !== order.accountId) continue;
    const lots = kind === 'decrement' ? (lotsLeft.get(maker) ?? maker.remainingLots) - step.lots : 0;
    if (lots > 0) lotsLeft.set(maker, lots);
    else end(maker);
  }
  const amended = state.orders.get(order.orderId);
  if (amended !== undefined) {
    for (const other of amended.isExit ? endedBy(state, amended) : []) lotsLeft.set(other, 0);
    lotsLeft.set(amended, restingLots);
  }
  return [...lotsLeft].flatMap(([changed, lots]) => {
    const { priceTicks } = changed === amended ? order : changed;
    return isQueued(changed) ? [{ order: changed, priceTicks, lots }] : [];
  });
}

function coverAfter(
  { cover }: Position,
  order: Order,
  others: readonly OtherTerms[],
  restingLots: number,
): Contracts['cover'] {
  const lotsOf = (side: Side): { readonly totalLots: number } => {
    const changed = others.filter((other) => other.order.side === side);
    const moreLots = changed.reduce((sum, other) => sum + other.lots - other.order.countedLots, 0);
    const own = order.side === side && !isQueued(order) ? restingLots : 0;
    return { totalLots: cover[side].totalLots + moreLots + own };
  };
  return { buy: lotsOf('buy'), sell: lotsOf('sell') };
}
