import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LimitTerms, LOOSENS_AFTER_MS, termsAt, withAmount, withoutLimit } from './limit-terms.js';

/** The same rules, told as a list of what has been asked for. */
class NaiveLimit {
  private readonly asked: { readonly amount: bigint | null; readonly atMs: number }[] = [];

  ask(amount: bigint | null, atMs: number): void {
    this.asked.push({ amount, atMs });
  }

  /** Null where there is none. */
  amountAt(nowMs: number): bigint | null {
    let amount: bigint | null = null;
    let pending: { readonly amount: bigint | null; readonly fromMs: number } | null = null;
    for (const { amount: wanted, atMs } of this.asked) {
      if (pending !== null && pending.fromMs <= atMs) amount = pending.amount;
      if (amount === null || (wanted !== null && wanted <= amount)) {
        amount = wanted;
        pending = null;
      } else {
        pending = { amount: wanted, fromMs: atMs + LOOSENS_AFTER_MS };
      }
    }
    return pending !== null && pending.fromMs <= nowMs ? pending.amount : amount;
  }
}

const STEP = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 3 * LOOSENS_AFTER_MS })),
  amount: fc.oneof(
    { weight: 5, arbitrary: fc.bigInt({ min: 0n, max: 20n }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
});

describe('the terms of a limit', () => {
  it('agree with a naive model, whatever is asked for and whenever', () => {
    fc.assert(
      fc.property(
        fc.array(STEP, { maxLength: 30 }),
        fc.integer({ min: 0, max: LOOSENS_AFTER_MS * 2 }),
        (steps, restMs) => {
          const model = new NaiveLimit();
          let stored: LimitTerms | null = null;
          let nowMs = 0;
          for (const { afterMs, amount } of steps) {
            nowMs += afterMs;
            const terms: LimitTerms | null = stored === null ? null : termsAt(stored, nowMs);
            if (amount === null && terms === null) continue;
            stored = amount === null ? withoutLimit(terms!, nowMs) : withAmount(terms, amount, nowMs);
            model.ask(amount, nowMs);
            expect(termsAt(stored, nowMs)?.amount ?? null).toBe(model.amountAt(nowMs));
          }
          nowMs += restMs;
          expect(stored === null ? null : (termsAt(stored, nowMs)?.amount ?? null)).toBe(
            model.amountAt(nowMs),
          );
        },
      ),
    );
  });

  it('never let more through within a day than before', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 20n }), fc.array(STEP, { maxLength: 10 }), (amount, steps) => {
        let terms = withAmount(null, amount, 0);
        let nowMs = 0;
        for (const { afterMs, amount: wanted } of steps) {
          nowMs += afterMs % 1_000;
          const current = termsAt(terms, nowMs)!;
          const next = wanted === null ? withoutLimit(current, nowMs) : withAmount(current, wanted, nowMs);
          const soon = termsAt(next, nowMs + LOOSENS_AFTER_MS - 1);
          expect(soon!.amount <= current.amount).toBe(true);
          terms = next;
        }
      }),
    );
  });
});
