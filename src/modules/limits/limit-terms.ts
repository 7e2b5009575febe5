/** How a limit changes: tighter at once, looser after a day. */

/** For how long a looser limit waits. */
export const LOOSENS_AFTER_MS = 24 * 60 * 60 * 1_000;

export interface LimitTerms {
  /** In force until `effectiveAtMs`, if that is set. */
  readonly amount: bigint;
  /** The looser amount from then on; null where the limit ends, and while nothing is pending. */
  readonly pendingAmount: bigint | null;
  readonly effectiveAtMs: number | null;
}

/** The terms at a moment, with what was pending until then; null where the limit has ended. */
export function termsAt(terms: LimitTerms, nowMs: number): LimitTerms | null {
  const { pendingAmount, effectiveAtMs } = terms;
  if (effectiveAtMs === null || effectiveAtMs > nowMs) return terms;
  return pendingAmount === null ? null : inForce(pendingAmount);
}

/** Whether an amount would let through more than the terms do. */
export function isLooser(terms: LimitTerms | null, amount: bigint): boolean {
  return terms !== null && amount > terms.amount;
}

/** Another amount: at once and for good where it is not looser, after a day where it is. */
export function withAmount(terms: LimitTerms | null, amount: bigint, nowMs: number): LimitTerms {
  if (terms === null || !isLooser(terms, amount)) return inForce(amount);
  return { amount: terms.amount, pendingAmount: amount, effectiveAtMs: nowMs + LOOSENS_AFTER_MS };
}

/** No limit any more, after a day. */
export function withoutLimit({ amount }: LimitTerms, nowMs: number): LimitTerms {
  return { amount, pendingAmount: null, effectiveAtMs: nowMs + LOOSENS_AFTER_MS };
}

function inForce(amount: bigint): LimitTerms {
  return { amount, pendingAmount: null, effectiveAtMs: null };
}
