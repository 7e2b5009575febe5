/**
 * Protects makers from being hit in many markets at once: after so many fills of their mass quotes within so long, all
 * of these are cancelled, in the command that made the last fill, and new ones are refused until the maker says that it
 * is back (`reset`): a quote that was on its way must not expose the maker again.
 */
import type { MassQuote, Refusal } from './commands.js';
import { type Context, refusal } from './context.js';
import { Protection } from './state.js';

/** The most that one protection may count; it remembers the time of each. */
export const PROTECTION_FILLS_MAX = 100;
export const PROTECTION_WINDOW_MS_MAX = 3_600_000;

/** What may stand against new quotes. */
export function checkProtection(
  { state }: Context,
  { accountId, protection }: Pick<MassQuote, 'accountId' | 'protection'>,
): Refusal | null {
  if (protection != null) {
    const { fills, windowMs } = protection;
    const isWithin = (value: number, max: number): boolean =>
      Number.isInteger(value) && value >= 1 && value <= max;
    if (!isWithin(fills, PROTECTION_FILLS_MAX) || !isWithin(windowMs, PROTECTION_WINDOW_MS_MAX))
      return refusal('invalid_amount', 'The protection counts 1 to 100 fills within a second to an hour.');
  }
  const isTripped = state.protections.get(accountId)?.trippedAtMs != null;
  if (!isTripped || protection?.reset === true) return null;
  return refusal(
    'quotes_protected',
    'The protection has cancelled all quotes. Send protection with reset to quote again.',
  );
}

/** Takes the protection that a command brings, and counts anew where it is another one; one that brings none leaves it be. */
export function setProtection(
  { state, changes }: Context,
  { accountId, protection: wanted }: Pick<MassQuote, 'accountId' | 'protection'>,
): void {
  const known = state.protections.get(accountId);
  if (wanted === undefined || (wanted === null && known === undefined)) return;
  const { fills, windowMs, reset } = wanted ?? { fills: null, windowMs: null, reset: true };
  const protection = known ?? new Protection(accountId);
  if (protection.fills === fills && protection.windowMs === windowMs && !reset) return;
  protection.fills = fills;
  protection.windowMs = windowMs;
  protection.fillTimesMs = [];
  protection.trippedAtMs = null;
  state.protections.set(accountId, protection);
  changes.protection(protection);
}

/** Counts a fill of a mass quote. */
export function countQuoteFill({ state, changes, timeMs, unsettled }: Context, accountId: number): void {
  const protection = state.protections.get(accountId);
  if (!isArmed(protection)) return;
  protection.fillTimesMs = [...recentFills(protection, timeMs), timeMs];
  changes.protection(protection);
  if (protection.fillTimesMs.length < protection.fills) return;
  protection.trippedAtMs = timeMs;
  protection.fillTimesMs = [];
  unsettled.tripped.add(accountId);
}

/** Whether so many more fills would cancel the quotes of an account. */
export function wouldTrip({ state, timeMs }: Context, accountId: number, fills: number): boolean {
  const protection = state.protections.get(accountId);
  return isArmed(protection) && recentFills(protection, timeMs).length + fills >= protection.fills;
}

type ArmedProtection = Protection & { readonly fills: number; readonly windowMs: number };

function isArmed(protection: Protection | undefined): protection is ArmedProtection {
  return protection !== undefined && protection.fills !== null && protection.trippedAtMs === null;
}

function recentFills({ fillTimesMs, windowMs }: ArmedProtection, timeMs: number): number[] {
  return fillTimesMs.filter((filledAtMs) => filledAtMs > timeMs - windowMs);
}
