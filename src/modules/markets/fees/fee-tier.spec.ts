import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount, ONE } from '../../../domain/money/amount.js';
import { areRebatesCapped, checkTiers, type FeeTier, tierAt } from './fee-tier.js';

const tier = (volume_30d: string, maker_fee_rate = '0', taker_fee_rate = '0.001'): FeeTier => ({
  volume_30d,
  maker_fee_rate,
  taker_fee_rate,
});

describe('tiers of a fee schedule', () => {
  it('are those that the volume reaches', () => {
    const tiers = [tier('0'), tier('10'), tier('20.5')];
    for (const [volume, place] of [
      ['0', 0],
      ['9999999999999999999', 0],
      ['10000000000000000000', 1],
      ['20499999999999999999', 1],
      ['20500000000000000000', 2],
      ['900000000000000000000000', 2],
    ] as const) {
      expect(tierAt(tiers, BigInt(volume)), volume).toBe(place);
    }
  });

  it('are stored in canonical form', () => {
    expect(checkTiers([tier('0.00', '-0.00100', '0.0010'), tier('5.0', '-0', '0')])).toEqual([
      tier('0', '-0.001', '0.001'),
      tier('5', '0', '0'),
    ]);
  });

  it('name what is wrong with them', () => {
    expect(checkTiers([tier('1'), tier('1'), tier('2', '-0.002')])).toMatchObject([
      { field: 'tiers.0.volume_30d' },
      { field: 'tiers.1.volume_30d' },
      { field: 'tiers.2.maker_fee_rate' },
    ]);
  });

  it('never have the house pay for a trade of two accounts at the same tier', () => {
    const rate = fc.bigInt({ min: -ONE, max: ONE });
    fc.assert(
      fc.property(rate, rate, (maker, taker) => {
        const checked = checkTiers([tier('0', formatAmount(maker), formatAmount(taker))]);
        const isRefused = checked.some((each) => 'message' in each);
        expect(isRefused).toBe(maker + taker < 0n || taker < 0n || taker >= ONE || maker >= ONE);
      }),
    );
  });

  it('tell whether a rebate meets a taker who pays less', () => {
    const rebates = [tier('0', '-0.001', '0.002')];
    expect(areRebatesCapped(rebates, [...rebates, tier('0', '0', '0.001')])).toBe(false);
    expect(areRebatesCapped(rebates, [...rebates, tier('0', '0', '0.0009')])).toBe(true);
    expect(areRebatesCapped([tier('0')], [tier('0', '0', '0')])).toBe(false);
  });
});
