import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MarketDefinition } from '../../domain/engine/types.js';
import { unitsOf } from '../../domain/market/units.js';
import { amountOf, formatAmount, ONE, UNITS_PER_ONE } from '../../domain/money/amount.js';
import { betTermsOf } from './bet-terms.js';

const EVENT = {
  kind: 'event',
  tickSize: amountOf('0.001'),
  lotSize: amountOf('0.5'),
} as MarketDefinition;

describe('betTermsOf', () => {
  it('is nothing on a spot market', () => {
    const terms = { side: 'buy', sizeLots: 1, notional: ONE } as const;
    expect(betTermsOf({ ...EVENT, kind: 'spot' }, terms)).toBeNull();
  });

  it('counts in whole contracts, whatever a lot is', () => {
    const terms = betTermsOf(EVENT, { side: 'sell', sizeLots: 5, notional: amountOf('0.75') })!;
    const { odds, stake, liability, payout } = terms;
    expect([odds, stake, liability, payout].map(formatAmount)).toEqual([
      '3.333333333333333333',
      '0.75',
      '1.75',
      '2.5',
    ]);
  });

  const fills = fc.array(
    fc.record({ priceTicks: fc.integer({ min: 1, max: 999 }), lots: fc.integer({ min: 1, max: 1e9 }) }),
    { minLength: 1, maxLength: 20 },
  );

  it('lets back and lay of the same fills put up the payout together, to the last unit', () => {
    fc.assert(
      fc.property(fills, (some) => {
        const units = unitsOf(EVENT);
        const sizeLots = some.reduce((sum, { lots }) => sum + lots, 0);
        const notional = some.reduce(
          (sum, { priceTicks, lots }) => (sum + units.notional(priceTicks, lots)) as typeof sum,
          amountOf('0'),
        );
        const back = betTermsOf(EVENT, { side: 'buy', sizeLots, notional })!;
        const lay = betTermsOf(EVENT, { side: 'sell', sizeLots, notional })!;
        expect(lay).toMatchObject({ odds: back.odds, stake: back.stake, payout: back.payout });
        expect(back.liability + lay.liability).toBe(back.payout);
        expect(lay.liability > 0n).toBe(true);
        // Decimal odds times stake is the payout, but for what was rounded off the odds.
        const product = back.odds * back.stake;
        expect(product <= back.payout * UNITS_PER_ONE).toBe(true);
        expect(product + back.stake > back.payout * UNITS_PER_ONE).toBe(true);
      }),
    );
  });
});
