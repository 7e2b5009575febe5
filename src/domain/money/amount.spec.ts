import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amount, amountOf, decimalsOf, formatAmount, mulDiv, parseAmount } from './amount.js';

describe('parseAmount', () => {
  it.each([
    ['0', 0n],
    ['1', 10n ** 18n],
    ['0.1', 10n ** 17n],
    ['0.10', 10n ** 17n],
    ['0.000000000000000001', 1n],
    ['27123.5', 27_123_500_000_000_000_000_000n],
    ['999999999999999999.999999999999999999', 10n ** 36n - 1n],
  ])('reads %s', (text, units) => {
    expect(parseAmount(text)).toBe(units);
  });

  it.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '+1',
    '-1',
    '-0',
    '−1',
    '00',
    '01',
    '00012',
    '.5',
    '5.',
    '.',
    '1.2.3',
    '1,5',
    '1_000',
    '1e3',
    '1E3',
    '1e400',
    '0x10',
    '0b1',
    '1n',
    'NaN',
    'Infinity',
    '１',
    '١',
    '½',
    '1000000000000000000',
    '0.0000000000000000001',
    '123456789012345678901234567890',
    '1\u0000',
    '\ud800',
    '__proto__',
  ])('refuses %j', (text) => {
    expect(parseAmount(text)).toBeUndefined();
  });
});

describe('formatAmount', () => {
  it.each([
    [0n, '0'],
    [1n, '0.000000000000000001'],
    [10n ** 17n, '0.1'],
    [100n * 10n ** 18n, '100'],
    [-5n * 10n ** 17n, '-0.5'],
    [10n ** 38n - 1n, '99999999999999999999.999999999999999999'],
  ])('writes %d units canonically', (units, text) => {
    expect(formatAmount(units)).toBe(text);
  });

  it('writes what parseAmount reads', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 36n - 1n }), (units) => {
        expect(parseAmount(formatAmount(units))).toBe(units);
      }),
    );
  });
});

describe('amountOf', () => {
  it('reads what the code wrote, signs included, and throws on anything else', () => {
    expect(amountOf('-2.5')).toBe(-25n * 10n ** 17n);
    expect(() => amountOf('1e3')).toThrow(RangeError);
    expect(() => amountOf('--1')).toThrow(RangeError);
  });
});

describe('mulDiv', () => {
  it.each([
    [7n, 3n, 2n, 'down', 10n],
    [7n, 3n, 2n, 'up', 11n],
    [8n, 3n, 2n, 'up', 12n],
    [0n, 3n, 2n, 'up', 0n],
  ] as const)('%d × %d ÷ %d, rounded %s, is %d', (a, b, divisor, rounding, result) => {
    expect(mulDiv(a, b, divisor, rounding)).toBe(result);
  });
});

describe('decimalsOf', () => {
  it.each([
    ['0', 0],
    ['100', 0],
    ['0.01', 2],
    ['0.25', 2],
    ['1.10', 1],
    ['0.000000000000000001', 18],
  ])('%s has %d', (text, decimals) => {
    expect(decimalsOf(amountOf(text))).toBe(decimals);
  });

  it('counts units, not text', () => {
    expect(decimalsOf(amount(5n * 10n ** 16n))).toBe(2);
  });
});
