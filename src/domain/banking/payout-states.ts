/** The states of a payout, and what each transition does with its held money. */

/** In the order of a payout's life; the last three are other final states. */
export const PAYOUT_STATUSES = [
  'pending_approval',
  'pending',
  'processing',
  'in_transit',
  'paid',
  'failed',
  'returned',
  'cancelled',
] as const;

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** What a transition does with the money: keep the hold, pay it out, release it, or reverse a payment. */
export type MoneyStep = 'keep' | 'pay' | 'release' | 'reverse';

export const PAYOUT_STEPS: Readonly<Record<PayoutStatus, Partial<Record<PayoutStatus, MoneyStep>>>> = {
  pending_approval: { pending: 'keep', failed: 'release', cancelled: 'release' },
  pending: { processing: 'keep', failed: 'release', cancelled: 'release' },
  processing: { in_transit: 'keep', paid: 'pay', failed: 'release', returned: 'release' },
  in_transit: { paid: 'pay', failed: 'release', returned: 'release' },
  // Banks return money days after they reported its arrival.
  paid: { returned: 'reverse' },
  failed: {},
  returned: {},
  cancelled: {},
};

/** What the transition between two statuses does with the money; undefined if there is no such transition. */
export function moneyStepOf(from: PayoutStatus, to: PayoutStatus): MoneyStep | undefined {
  return PAYOUT_STEPS[from][to];
}
