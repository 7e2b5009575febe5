import { describe, expect, it } from 'vitest';
import { type BankStatus, type ReportedPayout, verdictOn } from './bank-verdicts.js';
import type { PayoutStatus } from './payout-states.js';

const on = (status: PayoutStatus, isPaidBySilence = false): ReportedPayout => ({ status, isPaidBySilence });
const moved = (to: PayoutStatus) => ({ kind: 'move', to });
const UNCHANGED = { kind: 'unchanged' };
const IGNORED = { kind: 'ignored', reason: expect.stringMatching(/\.$/) };

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
