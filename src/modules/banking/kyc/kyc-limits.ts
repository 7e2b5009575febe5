import { amount, type Amount } from '../../../domain/money/amount.js';
import type { KycLimit } from './kyc-limit.js';

/** What an owner of a level may be paid out, in one currency and in units of 10^-18 of it. */
export interface PayoutLimits {
  readonly perPayout: Amount;
  /** In 24 hours. */
  readonly perDay: Amount;
  /** In 30 days. */
  readonly perMonth: Amount;
}

const NOTHING: PayoutLimits = { perPayout: amount(0n), perDay: amount(0n), perMonth: amount(0n) };

/**
 * The limits of a level in a currency: those of the highest configured level not above it, where an entry for the
 * currency comes before one for all. If no level is configured that low, the limits are zero.
 */
export function limitsAmong(configured: readonly KycLimit[], level: number, currency: string): PayoutLimits {
  const applicable = configured.filter(
    (limit) => limit.level <= level && (limit.currency === null || limit.currency === currency),
  );
  const highest = Math.max(...applicable.map((limit) => limit.level));
  const ofLevel = applicable.filter((limit) => limit.level === highest);
  return ofLevel.find((limit) => limit.currency !== null) ?? ofLevel[0] ?? NOTHING;
}
