/** The way of a payout, and what each step means for the money that was put aside for it. */

/** In the order in which a payout goes through them; the last three are other ends. */
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

/** What a step does with the money: keep it aside, pay it out, give it back, or take back what was paid. */
export type MoneyStep = 'keep' | 'pay' | 'release' | 'reverse';

const STEPS: Readonly<Record<PayoutStatus, Partial<Record<PayoutStatus, MoneyStep>>>> = {
  pending_approval: { pending: 'keep', failed: 'release', cancelled: 'release' },
  pending: { processing: 'keep', failed: 'release', cancelled: 'release' },
  processing: { in_transit: 'keep', paid: 'pay', failed: 'release', returned: 'release' },
  in_transit: { paid: 'pay', failed: 'release', returned: 'release' },
  // Banks send money back days after they said that it had arrived.
  paid: { returned: 'reverse' },
  failed: {},
  returned: {},
  cancelled: {},
};

/** What the step from one status to another does with the money; undefined where there is no such step. */
export function moneyStepOf(from: PayoutStatus, to: PayoutStatus): MoneyStep | undefined {
  return STEPS[from][to];
}
