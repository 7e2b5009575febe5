import { describe, expect, it } from 'vitest';
import { moneyStepOf, PAYOUT_STATUSES, type MoneyStep, type PayoutStatus } from './payout-states.js';

/** All paths from a status to a final status. */
function waysFrom(status: PayoutStatus, walked: readonly MoneyStep[] = []): (readonly MoneyStep[])[] {
  const steps = PAYOUT_STATUSES.flatMap((to) => {
    const step = moneyStepOf(status, to);
    return step === undefined ? [] : waysFrom(to, [...walked, step]);
  });
  return steps.length > 0 ? [...steps, ...(status === 'paid' ? [walked] : [])] : [walked];
}

describe('the way of a payout', () => {
  it('ends with the money paid, given back, or taken back after it was paid, each once', () => {
    const ways = waysFrom('pending_approval').map((way) => way.filter((step) => step !== 'keep').join(' '));
    expect(new Set(ways)).toEqual(new Set(['pay', 'release', 'pay reverse']));
  });

  it('never goes back, nor on from its end', () => {
    for (const [place, from] of PAYOUT_STATUSES.entries()) {
      for (const to of PAYOUT_STATUSES.slice(0, place + 1)) {
        expect(moneyStepOf(from, to), `${from} to ${to}`).toBeUndefined();
      }
    }
    expect(moneyStepOf('cancelled', 'paid')).toBeUndefined();
    expect(moneyStepOf('returned', 'failed')).toBeUndefined();
  });

  it('cannot be cancelled or skip its file once it waits for one', () => {
    expect(moneyStepOf('processing', 'cancelled')).toBeUndefined();
    expect(moneyStepOf('pending', 'paid')).toBeUndefined();
    expect(moneyStepOf('pending_approval', 'processing')).toBeUndefined();
  });
});
