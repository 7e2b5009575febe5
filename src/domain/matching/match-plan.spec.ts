import { describe, expect, it } from 'vitest';
import { type Budget, type MatchPlan, type PlanEntry, planMatch, type Taker } from './match-plan.js';
import { BookSide, type Level } from './order-book.js';
import type { Side } from './terms.js';

interface Terms {
  readonly side?: Side;
  readonly accountId?: number;
  readonly reduceOnly?: boolean;
  readonly expiresAtMs?: number;
  readonly owner?: string | null;
}

class Entry implements PlanEntry<Entry> {
  level: Level<Entry> | null = null;
  previous: Entry | null = null;
  next: Entry | null = null;
  hiddenLots = 0;
  readonly displayLots = Infinity;
  readonly side: Side;
  readonly accountId: number;
  readonly owner: string | null;
  readonly reduceOnly: boolean;
  readonly expiresAtMs: number | null;

  constructor(
    readonly name: string,
    public priceTicks: number,
    public remainingLots: number,
    { side = 'sell', accountId = 2, owner = null, reduceOnly = false, expiresAtMs }: Terms = {},
  ) {
    this.side = side;
    this.accountId = accountId;
    this.owner = owner;
    this.reduceOnly = reduceOnly;
    this.expiresAtMs = expiresAtMs ?? null;
  }

  get shownLots(): number {
    return this.remainingLots;
  }
}

/** Whatever a plan does, one word each; `reducible` is what makers may trade before they would open a position. */
function plan(
  makers: readonly Entry[],
  taker: Partial<Taker>,
  reducible = Infinity,
): { steps: string[] } & Omit<MatchPlan<Entry>, 'steps'> {
  const opposite = new BookSide<Entry>(makers[0]!.side);
  for (const maker of makers) opposite.add(maker);
  const side = opposite.side === 'sell' ? 'buy' : 'sell';
  const { steps, ...rest } = planMatch(
    opposite,
    {
      accountId: 1,
      owner: null,
      side,
      timeMs: 0,
      limitTicks: side === 'buy' ? Infinity : -Infinity,
      atLimit: null,
      lots: 10,
      selfTradePrevention: 'cancel_newest',
      reducibleLots: Infinity,
      budget: null,
      ...taker,
    },
    () => reducible,
  );
  const words = steps.map((step) =>
    [step.kind, step.maker.name, 'lots' in step ? step.lots : ''].join(' ').trim(),
  );
  return { steps: words, ...rest };
}

describe('a plan', () => {
  it('that fills a reduce-only taker whole is not stopped', () => {
    expect(plan([new Entry('a', 10, 5)], { lots: 3, reducibleLots: 3 })).toEqual({
      steps: ['fill a 3'],
      filledLots: 3,
      remainingLots: 0,
      stopped: null,
    });
  });

  it('stops a reduce-only taker where it would open a position', () => {
    const makers = [new Entry('a', 10, 5), new Entry('b', 11, 5)];
    expect(plan(makers, { lots: 8, reducibleLots: 3 })).toEqual({
      steps: ['fill a 3'],
      filledLots: 3,
      remainingLots: 5,
      stopped: 'reduce_only',
    });
  });

  it('skips orders of its own account, and ends at those of another one of its owner', () => {
    const own = new Entry('own', 10, 5, { accountId: 1, owner: 'ann' });
    const other = new Entry('other', 10, 5, { accountId: 3, owner: 'ann' });
    const theirs = new Entry('theirs', 11, 5);
    const taker = { owner: 'ann', selfTradePrevention: 'skip' } as const;
    expect(plan([own, theirs], taker).steps).toEqual(['fill theirs 5']);
    expect(plan([own, other, theirs], taker)).toMatchObject({ steps: [], stopped: 'self_trade' });
  });

  it('cancels what a reduce-only maker may not fill, even where the taker needs no more', () => {
    const makers = [new Entry('a', 10, 5, { reduceOnly: true }), new Entry('b', 10, 5)];
    expect(plan(makers, { lots: 2 }, 2)).toEqual({
      steps: ['fill a 2', 'cancel a'],
      filledLots: 2,
      remainingLots: 0,
      stopped: null,
    });
  });

  it('counts for a reduce-only maker what its account has filled before, and no order that has expired', () => {
    const makers = [
      new Entry('expired', 10, 5, { expiresAtMs: 0 }),
      new Entry('first', 10, 1),
      new Entry('reduces', 10, 5, { reduceOnly: true }),
      new Entry('last', 11, 9),
    ];
    expect(plan(makers, { lots: 9 }, 4).steps).toEqual([
      'expire expired',
      'fill first 1',
      'fill reduces 3',
      'cancel reduces',
      'fill last 5',
    ]);
  });

  it('goes on with what is left of its budget, which may pay for lots at a worse price', () => {
    // To bring in 19: one lot at 10, and of the 9 that are left one at 5.
    let rest = 19;
    const budget: Budget = {
      lotsAt: (priceTicks) => Math.floor(rest / priceTicks),
      spend: (priceTicks, lots) => (rest -= priceTicks * lots),
    };
    const side = 'buy';
    const makers = [new Entry('a', 10, 1, { side }), new Entry('b', 5, 3, { side })];
    expect(plan(makers, { lots: 100, budget }).steps).toEqual(['fill a 1', 'fill b 1']);
  });
});
