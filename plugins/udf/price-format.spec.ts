import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalsOf, priceFormatOf } from './price-format.js';

/** Canonical decimal texts of as many digits as a number of JSON keeps. */
const ticks = fc
  .tuple(fc.bigInt({ min: 1n, max: 10n ** 15n }), fc.nat({ max: 18 }))
  .map(([units, decimals]) => ({ text: canonical(units, decimals), units, decimals }));

function canonical(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, '');
  return digits.slice(0, split) + (fraction === '' ? '' : `.${fraction}`);
}

describe('priceFormatOf', () => {
  it.each([
    ['0.01', 1, 100],
    ['0.5', 5, 10],
    ['0.25', 25, 100],
    ['1', 1, 1],
    ['5', 5, 1],
    ['12.5', 125, 10],
    ['0.000000000000000001', 1, 1e18],
  ])('writes a tick of %s as %d / %d', (tick, minmov, pricescale) => {
    expect(priceFormatOf(tick)).toEqual({ minmov, pricescale });
  });

  it('is exactly the tick, over a power of ten, whatever the tick', () => {
    fc.assert(
      fc.property(ticks, ({ text, units, decimals }) => {
        const { minmov, pricescale } = priceFormatOf(text);
        // JSON, too, must carry them whole.
        const [up, down] = [JSON.stringify(minmov), JSON.stringify(pricescale)].map(BigInt) as [
          bigint,
          bigint,
        ];
        expect(up * 10n ** BigInt(decimals)).toBe(units * down);
        expect(down).toBe(10n ** BigInt(decimalsOf(text)));
        expect(Number(text)).toBe(minmov / pricescale);
      }),
    );
  });
});
