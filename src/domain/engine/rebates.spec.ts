import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';
import { formatAmount, ONE } from '../money/amount.js';
import { parseFeeRates } from './fee-rates.js';

const withFees = { market: spot({ makerFeeRate: '0.01', takerFeeRate: '0.02' }) };
const withoutFees = { market: spot() };
const inEvents = { market: event({ makerFeeRate: '0.01', takerFeeRate: '0.02' }) };

describe('rebates', () => {
  page('are paid to makers out of what takers pay for the same fill', withFees)`
    ann buys 2 @ 100 rates -0.005/0.02 as a1   => open, holds 204
    bob sells 1 @ 100                          => filled, fees 2
    a1 is partially_filled, fees -0.5, holds 102
    ann has 798.5 USD, 102 held                -- 1000 − 100 + 0.5 − 102
    bob has 1098 USD
    fees has 1.5 USD
  `;

  page('are no more than the taker pays, whose rate is another', withFees)`
    ann buys 2 @ 100 rates -0.015/0.02 as a1
    bob sells 1 @ 100 rates 0/0.001            => filled, fees 0.1
    a1 is partially_filled, fees -0.1
    ann has 798.1 USD, 102 held
    fees has 0 USD
    bob sells 1 @ 100 rates 0/0                => filled, fees 0
    a1 is filled, fees -0.1
    fees has 0 USD
  `;

  page('are for what rests alone: what takes pays', withFees)`
    bob sells 1 @ 100
    ann buys 3 @ 100 rates -0.01/0.02 as a1    => partially_filled, fees 2, holds 204
    bob sells 1 @ 100
    a1 is partially_filled, fees 1, holds 102
    bob sells 1 @ 100
    a1 is filled, fees 0
    ann has 700 USD
  `;

  page('are paid in event markets', inEvents)`
    ann buys 10 @ 0.5 rates -0.02/0.02 as a1   => open, holds 5.1
    bob sells 10 @ 0.5                         => filled, fees 0.1
    a1 is filled, fees -0.1
    ann has 995.1 USD
    fees has 0 USD
  `;

  page('are larger than the fee of no schedule', withoutFees)`
    ann buys 1 @ 100 rates -0.002/0.001        => refused invalid_amount
    ann buys 1 @ 100 rates 0/-0.001            => refused invalid_amount
    ann buys 1 @ 100 rates 0/1                 => refused invalid_amount
    ann buys 1 @ 100 rates -0.001/0.001        => open
  `;
});

describe('fee rates', () => {
  const rate = fc.bigInt({ min: -2n * ONE, max: 2n * ONE });

  it('are those that leave a trade of one schedule without a loss', () => {
    fc.assert(
      fc.property(rate, rate, (maker, taker) => {
        const rates = parseFeeRates({ maker: formatAmount(maker), taker: formatAmount(taker) });
        const areFine = taker >= 0n && taker < ONE && maker < ONE && maker + taker >= 0n;
        expect(rates).toEqual(areFine ? { maker, taker } : undefined);
      }),
    );
  });

  it.each([
    '',
    '-',
    'NaN',
    '0.',
    '.5',
    '+0.1',
    '1e-3',
    '00.1',
    '0x1',
    '0.1 ',
    '- 0.1',
    '0.1234567890123456789',
  ])('are plain decimals: %j', (text) => {
    expect(parseFeeRates({ maker: text, taker: '0.5' })).toBeUndefined();
    expect(parseFeeRates({ maker: '0', taker: text })).toBeUndefined();
  });
});
