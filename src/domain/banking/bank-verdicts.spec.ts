import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BankStatus, type ReportedPayout, verdictOn } from './bank-verdicts.js';
import { type MoneyStep, moneyStepOf, type PayoutStatus } from './payout-states.js';

const on = (status: PayoutStatus, isPaidBySilence = false): ReportedPayout => ({ status, isPaidBySilence });
const moved = (to: PayoutStatus) => ({ kind: 'move', to });
const UNCHANGED = { kind: 'unchanged' };
const IGNORED = { kind: 'ignored', reason: expect.stringMatching(/\.$/) };

const SAID: readonly BankStatus[] = [
  'pending',
  'in_transit',
  'paid',
  'failed',
  'returned',
  'duplicate',
  'unclear',
];

describe('what a bank says of a payment', () => {
  it.each<[BankStatus, PayoutStatus, object]>([
    ['in_transit', 'processing', moved('in_transit')],
    ['in_transit', 'in_transit', UNCHANGED],
    ['in_transit', 'paid', UNCHANGED],
    ['paid', 'processing', moved('paid')],
    ['paid', 'in_transit', moved('paid')],
    ['paid', 'paid', UNCHANGED],
    ['paid', 'failed', IGNORED],
    ['paid', 'returned', IGNORED],
    ['failed', 'processing', moved('failed')],
    ['failed', 'in_transit', moved('failed')],
    ['failed', 'paid', moved('returned')],
    ['failed', 'failed', UNCHANGED],
    ['failed', 'returned', UNCHANGED],
    ['returned', 'in_transit', moved('returned')],
    ['returned', 'paid', moved('returned')],
    ['returned', 'failed', UNCHANGED],
    ['returned', 'cancelled', IGNORED],
    ['pending', 'processing', UNCHANGED],
    ['pending', 'paid', UNCHANGED],
    ['unclear', 'processing', IGNORED],
    ['unclear', 'paid', IGNORED],
    ['duplicate', 'paid', UNCHANGED],
    ['duplicate', 'failed', UNCHANGED],
    ['duplicate', 'processing', IGNORED],
    ['duplicate', 'in_transit', IGNORED],
  ])('%s of a payout that is %s', (said, status, verdict) => {
    expect(verdictOn(on(status), said, true)).toEqual(verdict);
  });

  it('weighs less about its whole file: no rejection takes back what the bank has confirmed', () => {
    expect(verdictOn(on('in_transit'), 'failed', false)).toEqual(moved('failed'));
    expect(verdictOn(on('paid', true), 'failed', false)).toEqual(moved('returned'));
    expect(verdictOn(on('paid'), 'failed', false)).toEqual(IGNORED);
  });
});

interface Said {
  readonly said: BankStatus;
  readonly isOwn: boolean;
}

/** What happens to a payout that is in a file: reports, and the silence after them. */
const happening = fc.oneof(
  { weight: 9, arbitrary: fc.record<Said>({ said: fc.constantFrom(...SAID), isOwn: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant('silence' as const) },
);

describe('reports in any order, repeated and duplicated', () => {
  /** Where the money of one payout is, after each step of it. */
  const MONEY: Readonly<Record<MoneyStep, readonly [from: string, to: string]>> = {
    keep: ['held', 'held'],
    pay: ['held', 'paid'],
    release: ['held', 'back'],
    reverse: ['paid', 'back'],
  };
  const PLACES: Partial<Record<PayoutStatus, string>> = { paid: 'paid', failed: 'back', returned: 'back' };

  it('keep each payout’s money in one place: never both paid and given back, and given back once', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30 }), (happenings) => {
        let payout = on('processing');
        let place = 'held';
        const move = (to: PayoutStatus, isPaidBySilence = false): void => {
          const [from, next] = MONEY[moneyStepOf(payout.status, to)!];
          expect(place).toBe(from);
          place = next;
          payout = { status: to, isPaidBySilence };
        };
        for (const what of happenings) {
          const before = payout;
          if (what === 'silence') {
            if (payout.status === 'in_transit') move('paid', true);
            continue;
          }
          const { said, isOwn } = what;
          const verdict = verdictOn(payout, said, isOwn);
          if (verdict.kind === 'move') {
            move(verdict.to);
            expect(['pending', 'duplicate', 'unclear']).not.toContain(said);
            // The same again moves nothing more.
            expect(verdictOn(payout, said, isOwn).kind).toBe('unchanged');
          }
          if (before.status === 'failed' || before.status === 'returned') expect(payout).toBe(before);
          if (before.status === 'paid' && !before.isPaidBySilence && !isOwn && said === 'failed') {
            expect(payout).toBe(before);
          }
          expect(place).toBe(PLACES[payout.status] ?? 'held');
        }
      }),
    );
  });
});
