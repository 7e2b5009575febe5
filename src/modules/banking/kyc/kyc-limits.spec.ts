import { expect, it } from 'vitest';
import { kycLimit, type KycLimit } from './kyc-limit.js';
import { limitsAmong } from './kyc-limits.js';

const limits = ['1=10/50/100', '1:EUR=20/60/200', '3=1000/5000/10000'].map((text): KycLimit => {
  const limit = kycLimit.parse(text);
  if (limit === undefined) throw new Error(text);
  return limit;
});
const perPayout = (level: number, currency: string): bigint =>
  limitsAmong(limits, level, currency).perPayout / 10n ** 18n;

it('gives each level the limits of the highest one configured that is not above it', () => {
  expect([0, 1, 2, 3, 9].map((level) => perPayout(level, 'USD'))).toEqual([0n, 10n, 10n, 1000n, 1000n]);
});

it('prefers what is said for a currency', () => {
  expect([0, 1, 2, 3].map((level) => perPayout(level, 'EUR'))).toEqual([0n, 20n, 20n, 1000n]);
});

it('gives nothing where nothing is configured', () => {
  expect(limitsAmong([], 9, 'USD')).toEqual({ perPayout: 0n, perDay: 0n, perMonth: 0n });
});
