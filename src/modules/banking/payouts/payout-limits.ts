import type { EntityManager } from 'typeorm';
import { amountOf, decimalsOf, formatAmount, type Amount } from '../../../domain/money/amount.js';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { LIMIT_EXCEEDED } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { PayoutLimits } from '../kyc/kyc-limits.js';

/**
 * Refuses what goes beyond the limits of its owner's level: `limit_exceeded` (422), which says what is left.
 * All accounts of the owner count together, or a second account would double the limits. Payouts whose money
 * came back do not count. It takes turns with others of the same owner and currency until the transaction
 * ends, so many small ones at once are counted too. Answers what was paid out, or waits to be, in 24 hours.
 */
export async function requireWithinLimits(
  manager: EntityManager,
  { owner, currency, amount }: { readonly owner: string; readonly currency: string; readonly amount: Amount },
  { perPayout, perDay, perMonth }: PayoutLimits,
): Promise<Amount> {
  if (amount > perPayout) {
    throw limitExceeded(`A payment may be at most ${formatAmount(perPayout)} ${currency}.`);
  }
  await lockUntilCommit(manager, `payouts:${owner}:${currency}`);
  const [used] = await manager.query<[{ day: string; month: string }]>(
    `SELECT coalesce(sum(amount) FILTER (WHERE created_at > clock_timestamp() - interval '24 hours'), 0) AS day,
            coalesce(sum(amount), 0) AS month
     FROM payouts
     WHERE owner = $1 AND currency = $2 AND created_at > clock_timestamp() - interval '30 days'
       AND status NOT IN ('failed', 'returned', 'cancelled')`,
    [owner, currency],
  );
  for (const [span, limit, spent] of [
    ['24 hours', perDay, BigInt(used.day)],
    ['30 days', perMonth, BigInt(used.month)],
  ] as const) {
    if (spent + amount > limit) {
      const left = limit > spent ? formatAmount(limit - spent) : '0';
      throw limitExceeded(`Of ${formatAmount(limit)} ${currency} in ${span}, ${left} are left.`);
    }
  }
  return BigInt(used.day) as Amount;
}

function limitExceeded(message: string): ApiError {
  return new ApiError(LIMIT_EXCEEDED, message);
}

/** The cents of an amount that has no more than cents. */
export function centsOf(amount: Amount): bigint {
  return amount / UNITS_PER_CENT;
}

/**
 * Refuses with `amount_too_precise` (422) an amount finer than the rail's precision: cents, or fewer decimals if the
 * asset has fewer. Nothing is rounded.
 */
export function requireCents(amount: Amount, currency: string, scale: number): void {
  const decimals = Math.min(scale, CENT_DECIMALS);
  if (decimalsOf(amount) <= decimals) return;
  throw new ApiError(
    REFUSALS.amount_too_precise,
    `${currency} is paid out with ${decimals} decimals. Round the amount.`,
  );
}

const CENT_DECIMALS = 2;
const UNITS_PER_CENT = amountOf('0.01');
