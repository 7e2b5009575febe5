/** What a bank's report does to a payout: pure, so that every order of reports can be tried. */
import { moneyStepOf, type PayoutStatus } from './payout-states.js';

/** What a bank says of a payment. */
export type BankStatus =
  /** It will say more later. */
  | 'pending'
  | 'in_transit'
  | 'paid'
  | 'failed'
  | 'returned'
  /** It has refused a second copy. */
  | 'duplicate'
  /** Something else, which nobody has taught this service. */
  | 'unclear';

/** What a payout's row says when a report arrives. */
export interface ReportedPayout {
  readonly status: PayoutStatus;
  /** It counts as paid because nothing came back; the bank has not said so. */
  readonly isPaidBySilence: boolean;
}

/** The report is unclear or contradicts what is known, so it moves nothing, and somebody must look at it. */
export interface Ignored {
  readonly kind: 'ignored';
  /** A sentence. */
  readonly reason: string;
}

export type BankVerdict =
  | { readonly kind: 'move'; readonly to: PayoutStatus }
  | { readonly kind: 'unchanged' }
  | Ignored;

export const UNCHANGED: BankVerdict = { kind: 'unchanged' };
export const UNCLEAR: Ignored = {
  kind: 'ignored',
  reason: 'So it moves nothing: ask the bank what became of the money.',
};

/**
 * What follows from `said` for a payout. `isOwn` is true for a statement about this payment, and false for one about its
 * whole file, which weighs less: it never takes back what the bank has confirmed.
 */
export function verdictOn(
  { status, isPaidBySilence }: ReportedPayout,
  said: BankStatus,
  isOwn: boolean,
): BankVerdict {
  if (said === 'pending') return UNCHANGED;
  if (said === 'unclear') return UNCLEAR;
  if (said === 'in_transit') return status === 'processing' ? { kind: 'move', to: said } : UNCHANGED;
  if (said === 'duplicate') {
    return isUnderWay(status)
      ? {
          kind: 'ignored',
          reason:
            'The bank refuses it as a duplicate, which moves nothing: the first copy counts. Ask the bank whether it has one.',
        }
      : UNCHANGED;
  }
  if (said === 'failed' && status === 'paid' && !isOwn && !isPaidBySilence) {
    return {
      kind: 'ignored',
      reason:
        'The bank rejects the whole file, but has confirmed this payment before. If it comes back, report it as returned.',
    };
  }
  const to = statusAfter(status, said);
  if (to === status) return UNCHANGED;
  return moneyStepOf(status, to) === undefined
    ? { kind: 'ignored', reason: `The payout is ${status} and cannot become ${said}.` }
    : { kind: 'move', to };
}

function isUnderWay(status: PayoutStatus): boolean {
  return status === 'processing' || status === 'in_transit';
}

/** A payout that comes back after it was paid is returned; money that was released once is not released again. */
function statusAfter(now: PayoutStatus, said: 'paid' | 'failed' | 'returned'): PayoutStatus {
  if (said === 'failed' && now === 'paid') return 'returned';
  if (said !== 'paid' && (now === 'failed' || now === 'returned')) return now;
  return said;
}
