import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountOf, formatAmount, parseAmount, type Amount } from '../money/amount.js';
import { DecimalStep, MarketUnits } from './units.js';

describe('DecimalStep', () => {
  it.each([
    ['0.01', '123.45', 12345],
    ['0.01', '123', 12300],
    ['0.01', '0.010000', 1],
    ['0.01', '0', 0],
    ['0.00000001', '1.5', 150_000_000],
    ['1', '7', 7],
    ['5', '15', 3],
    ['0.25', '1.75', 7],
    ['1000', '5000.000', 5],
  ])('with steps of %s counts %s as %d', (step, text, count) => {
    expect(new DecimalStep(amountOf(step)).countOf(text)).toBe(count);
  });

  it.each([
    ['0.01', '123.456'],
    ['1', '0.5'],
    ['0.25', '0.30'],
    ['1000', '1500'],
    ['0.000000000000000002', '0.000000000000000001'],
  ])('with steps of %s finds %s between two steps', (step, text) => {
    expect(new DecimalStep(amountOf(step)).countOf(text)).toBe('not_a_multiple');
  });

  it('says when a count is beyond the safe integers', () => {
    expect(new DecimalStep(amountOf('0.00000001')).countOf('999999999999999999')).toBe('too_large');
  });

  const steps = fc.bigInt({ min: 1n, max: 10n ** 24n }).map((units) => new DecimalStep(units as Amount));
  const decimals = fc
    .bigInt({ min: 0n, max: 10n ** 36n - 1n })
    .chain((units) => fc.nat({ max: 4 }).map((zeros) => pad(formatAmount(units), zeros)));

  it('agrees with plain integer arithmetic on every decimal', () => {
    fc.assert(
      fc.property(steps, decimals, (step, text) => {
        const units = parseAmount(text)!;
        const count = units / step.size;
        const expected =
          units % step.size !== 0n
            ? 'not_a_multiple'
            : count > BigInt(Number.MAX_SAFE_INTEGER)
              ? 'too_large'
              : Number(count);
        expect(step.countOf(text)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('writes what it reads, canonically', () => {
    fc.assert(
      fc.property(steps, fc.maxSafeInteger(), (step, count) => {
        const text = step.format(count);
        expect(text).toBe(formatAmount(step.amountOf(count)));
        if (count >= 0 && parseAmount(text) !== undefined) expect(step.countOf(text)).toBe(count);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('MarketUnits', () => {
  const units = new MarketUnits({ tickSize: amountOf('0.01'), lotSize: amountOf('0.001') });

  it('multiplies price and size', () => {
    expect(formatAmount(units.notional(12_345, 2_001))).toBe('247.02345');
    expect(formatAmount(units.notional(12_345, -2_001))).toBe('-247.02345');
  });

  it('averages a price over a size, rounding down', () => {
    expect(formatAmount(units.pricePer(amountOf('10'), 3_000)!)).toBe('3.333333333333333333');
    expect(units.pricePer(amountOf('0'), 0)).toBeNull();
  });
});

/** Appends redundant zeros, up to 18 decimals. */
function pad(text: string, zeros: number): string {
  const point = text.indexOf('.');
  if (point < 0) return zeros === 0 ? text : `${text}.${'0'.repeat(zeros)}`;
  return text.padEnd(Math.min(text.length + zeros, point + 19), '0');
}
