/**
 * Matching in two steps. A plan is computed from the book without changing it, checked against money and rules, and
 * only then executed. So a refusal has nothing to undo, and a preview is the first step alone.
 */
import { invariant } from '../invariant.js';
import type { SelfTradePrevention, Side } from './terms.js';
import type { BookEntry, BookSide, Level } from './order-book.js';

/** What the plan reads of a resting order. */
export interface PlanEntry<E extends PlanEntry<E>> extends BookEntry<E> {
  readonly accountId: number;
  /** Whose the account is. */
  readonly owner: string | null;
  readonly reduceOnly: boolean;
  /** The order does not trade from then on; null = good till cancelled. */
  readonly expiresAtMs: number | null;
  /** What the book shows of it now, which trades in its turn; the next part waits at the end of the queue. */
  readonly shownLots: number;
  /** The size of the next parts; Infinity where all is shown. */
  readonly displayLots: number;
}

export function hasExpired(
  { expiresAtMs }: { readonly expiresAtMs: number | null },
  timeMs: number,
): boolean {
  return expiresAtMs !== null && expiresAtMs <= timeMs;
}

export interface Taker {
  readonly accountId: number;
  /** Null where nobody's other accounts count as its own. */
  readonly owner: string | null;
  readonly side: Side;
  /**
   * The command's time. The book may still have makers that have expired by then, since one command expires a bounded
   * number.
   */
  readonly timeMs: number;
  /** The worst acceptable price; ±Infinity where any is. */
  readonly limitTicks: number;
  /** Why what is left ends where only worse prices are left; null where it need not. */
  readonly atLimit: 'band_reached' | null;
  readonly lots: number;
  /** What happens where the taker meets an order of its owner's; `skip` ignores those of its own account. */
  readonly selfTradePrevention: SelfTradePrevention | 'skip';
  /** How much the taker may trade before it would open a position; Infinity unless reduce-only. */
  readonly reducibleLots: number;
  /** Null unless value also limits the walk, and not only lots. */
  readonly budget: Budget | null;
}

/** The value that a walk may spend. The walk ends at the first maker that the rest cannot take in full. */
export interface Budget {
  /** How many lots the rest of the budget pays for at a price; a safe integer. */
  lotsAt(priceTicks: number): number;
  spend(priceTicks: number, lots: number): void;
}

export type PlanStep<E> =
  | { readonly kind: 'fill'; readonly maker: E; readonly lots: number }
  /** Two orders of one owner meet: both become smaller, nothing is traded. */
  | { readonly kind: 'decrement'; readonly maker: E; readonly lots: number }
  | { readonly kind: 'cancel'; readonly maker: E; readonly reason: 'self_trade' | 'reduce_only' }
  | { readonly kind: 'expire'; readonly maker: E };

export interface MatchPlan<E> {
  readonly steps: readonly PlanStep<E>[];
  readonly filledLots: number;
  /** The taker's lots after fills and decrements. */
  readonly remainingLots: number;
  /**
   * Set if the remainder must not continue: it met an own order, would open a position though reduce-only, or trade outside
   * its band.
   */
  readonly stopped: 'self_trade' | 'reduce_only' | 'band_reached' | null;
}

/** How many lots a resting reduce-only order may fill before it would open a position, before the plan. */
export type ReducibleLots<E> = (maker: E) => number;

/**
 * The orders of a level as they trade, one after the other: those in its queue, and behind them what icebergs show once
 * they have traded all they showed before.
 */
class Turns<E extends PlanEntry<E>> {
  /** What is left of the order whose turn it is, and how much of that it shows. */
  leftLots = 0;
  shownLots = 0;
  private queued: E | null;
  private again: { readonly maker: E; readonly leftLots: number }[] | null = null;
  private taken = 0;

  constructor({ head }: Level<E>) {
    this.queued = head;
  }

  /** Null where nobody is left. */
  next(): E | null {
    const { queued } = this;
    if (queued !== null) {
      this.queued = queued.next;
      this.leftLots = queued.remainingLots;
      this.shownLots = queued.shownLots;
      return queued;
    }
    const part = this.again?.[this.taken++];
    if (part === undefined) return null;
    this.leftLots = part.leftLots;
    this.shownLots = Math.min(part.leftLots, part.maker.displayLots);
    return part.maker;
  }

  comesAgain(maker: E, leftLots: number): void {
    (this.again ??= []).push({ maker, leftLots });
  }
}

const NO_STEPS: readonly never[] = [];

type Stop = MatchPlan<never>['stopped'];

export function planMatch<E extends PlanEntry<E>>(
  opposite: BookSide<E>,
  taker: Taker,
  reducibleLotsOf: ReducibleLots<E>,
): MatchPlan<E> {
  const best = opposite.best();
  // Most orders match nothing; they share one empty list of steps.
  if (best === undefined || !opposite.crosses(best, taker.limitTicks)) {
    return { steps: NO_STEPS, filledLots: 0, remainingLots: taker.lots, stopped: null };
  }
  const steps: PlanStep<E>[] = [];
  const { levels } = opposite;
  const { budget } = taker;
  let remaining = taker.lots;
  let reducible = taker.reducibleLots;
  let filled = 0;
  /** Lots planned so far for each maker's account, kept from the first reduce-only maker on. */
  let plannedLots: Map<number, number> | null = null;

  for (let index = levels.length - 1; index >= 0 && remaining > 0; index--) {
    const level = levels[index]!;
    if (!opposite.crosses(level, taker.limitTicks)) return planOf(steps, filled, remaining, taker.atLimit);

    const turns = new Turns(level);
    for (let maker = turns.next(); maker !== null && remaining > 0; maker = turns.next()) {
      if (reducible === 0) return planOf(steps, filled, remaining, 'reduce_only');
      if (hasExpired(maker, taker.timeMs)) {
        steps.push({ kind: 'expire', maker });
        continue;
      }
      if (isOwn(maker, taker)) {
        const mode = preventionFor(maker, taker);
        remaining -= meetOwn(steps, maker, mode, remaining);
        if (STOPS_AT_OWN[mode]) return planOf(steps, filled, remaining, 'self_trade');
        continue;
      }
      let available = turns.leftLots;
      if (maker.reduceOnly) {
        plannedLots ??= plannedByAccount(steps);
        const allowed = Math.max(0, reducibleLotsOf(maker) - (plannedLots.get(maker.accountId) ?? 0));
        available = Math.min(available, allowed);
      }
      if (available === 0) {
        steps.push({ kind: 'cancel', maker, reason: 'reduce_only' });
        continue;
      }
      const offered = Math.min(available, turns.shownLots);
      if (budget !== null) {
        const affordable = budget.lotsAt(maker.priceTicks);
        if (affordable === 0) return planOf(steps, filled, 0, null);
        if (affordable < offered) remaining = Math.min(remaining, affordable);
      }
      const lots = Math.min(remaining, offered, reducible);
      budget?.spend(maker.priceTicks, lots);
      steps.push({ kind: 'fill', maker, lots });
      plannedLots?.set(maker.accountId, (plannedLots.get(maker.accountId) ?? 0) + lots);
      remaining -= lots;
      reducible -= lots;
      filled += lots;
      if (lots < offered && remaining > 0) return planOf(steps, filled, remaining, 'reduce_only');
      if (lots === offered && offered < turns.leftLots) {
        if (offered === available) steps.push({ kind: 'cancel', maker, reason: 'reduce_only' });
        else turns.comesAgain(maker, turns.leftLots - lots);
      }
    }
  }
  return planOf(steps, filled, remaining, null);
}

function planOf<E>(
  steps: readonly PlanStep<E>[],
  filled: number,
  remaining: number,
  stopped: Stop,
): MatchPlan<E> {
  invariant(filled >= 0 && remaining >= 0, 'a plan fills no more than was asked', filled, remaining);
  return { steps, filledLots: filled, remainingLots: remaining, stopped };
}

/** Whether both are of one owner, which may have several accounts. */
function isOwn(maker: Pick<Taker, 'accountId' | 'owner'>, taker: Taker): boolean {
  return maker.accountId === taker.accountId || (taker.owner !== null && maker.owner === taker.owner);
}

/**
 * Only orders of its own account may be skipped: that the turn of others comes first is proven in public, where nobody sees
 * whose the accounts are.
 */
function preventionFor(maker: Pick<Taker, 'accountId'>, taker: Taker): Taker['selfTradePrevention'] {
  const isSkip = taker.selfTradePrevention === 'skip' && maker.accountId !== taker.accountId;
  return isSkip ? 'cancel_newest' : taker.selfTradePrevention;
}

/** Whether the taker ends where it meets an order of its owner's. */
const STOPS_AT_OWN: Readonly<Record<Taker['selfTradePrevention'], boolean>> = {
  cancel_newest: true,
  cancel_oldest: false,
  cancel_both: true,
  decrement: false,
  skip: false,
};

/** Handles an own order that the taker meets; returns the lots by which the taker becomes smaller. */
function meetOwn<E extends PlanEntry<E>>(
  steps: PlanStep<E>[],
  maker: E,
  mode: Taker['selfTradePrevention'],
  remaining: number,
): number {
  if (mode === 'decrement') {
    const lots = Math.min(remaining, maker.remainingLots);
    steps.push({ kind: 'decrement', maker, lots });
    return lots;
  }
  const endsMaker = mode === 'cancel_oldest' || mode === 'cancel_both';
  if (endsMaker) steps.push({ kind: 'cancel', maker, reason: 'self_trade' });
  return 0;
}

function plannedByAccount<E extends PlanEntry<E>>(steps: readonly PlanStep<E>[]): Map<number, number> {
  const planned = new Map<number, number>();
  for (const step of steps) {
    if (step.kind !== 'fill') continue;
    planned.set(step.maker.accountId, (planned.get(step.maker.accountId) ?? 0) + step.lots);
  }
  return planned;
}
