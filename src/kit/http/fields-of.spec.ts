import { describe, expect, it } from 'vitest';
import { amount, UNITS_PER_ONE } from '../../domain/money/amount.js';
import { fieldsOf } from './fields-of.js';

describe('fieldsOf', () => {
  const row = {
    firstSeenAt: new Date('2026-11-27T09:00:00.120Z'),
    last_seen_at: null as Date | null,
    feePaid: amount(5n * (UNITS_PER_ONE / 2n)),
    sha256: 'ab',
    secretHash: 'cd',
  };

  it('tells times and amounts as text, under names in snake case, in the order in which they are named', () => {
    const fields = fieldsOf(row, 'feePaid', 'sha256', 'firstSeenAt', 'last_seen_at');
    expect(Object.entries(fields)).toEqual([
      ['fee_paid', '2.5'],
      ['sha256', 'ab'],
      ['first_seen_at', '2026-11-27T09:00:00.120Z'],
      ['last_seen_at', null],
    ]);
  });

  it('tells nothing that is not named', () => {
    expect(fieldsOf(row, 'sha256')).toEqual({ sha256: 'ab' });
  });
});
