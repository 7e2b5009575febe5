import { describe } from 'vitest';
import { spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

const plain = { market: spot() };
const withFees = { market: spot({ makerFeeRate: '0.01', takerFeeRate: '0.02' }) };

describe('what a spot order holds', () => {
  page('buying: what remains at the limit price', plain)`
    ann buys 3 @ 100 as a1      => open, holds 300
    bob sells 1 @ 100
    a1 is partially_filled, holds 200
    ann has 700 USD, 200 held
    ann has 11 BTC
  `;

  page('selling: what remains of the base asset', plain)`
    ann sells 3 @ 100 as a1     => open, holds 3
    bob buys 1 @ 100
    a1 is partially_filled, holds 2
    ann has 7 BTC, 2 held
    ann has 1100 USD
  `;

  page('a better price gives the excess back at once', plain)`
    bob sells 1 @ 90
    ann buys 2 @ 100            => partially_filled, holds 100
    ann has 810 USD, 100 held
  `;

  page('to the last cent, and no cent more', { market: spot(), purse: { USD: '300', BTC: '2' } })`
    ann buys 3 @ 100            => open
    ann buys 1 @ 1              => refused insufficient_funds
    bob sells 3 @ 500           => refused insufficient_funds
    bob sells 2 @ 500           => open
    bob sells 1 @ 500           => refused insufficient_funds
  `;

  page('nothing is held for orders that ended', plain)`
    ann buys 3 @ 100 as a1
    ann buys 2 @ 90 GTD 5 as a2
    ann cancels a1
    5 s pass
    ann has 1000 USD
  `;
});

describe('spot fees', () => {
  page('are held at the higher rate and charged at the one that applies', withFees)`
    ann buys 2 @ 100 as a1      => open, holds 204
    bob sells 1 @ 100           => filled, fees 2
    a1 is partially_filled, fees 1, holds 102
    ann has 797 USD, 102 held   -- 1000 − 100 − 1 − 102
    bob has 1098 USD
    fees has 3 USD
  `;

  page('a seller pays out of what comes in', { ...withFees, purse: { USD: '1', BTC: '1' } })`
    cat deposits 200 USD
    ann sells 1 @ 100           => open
    cat buys 1 @ 100            => filled, fees 2
    ann has 100 USD             -- 1 + 100 − 1
    ann has 0 BTC
  `;

  page('the buyer needs the fee on top', { market: withFees.market, purse: { USD: '101.99', BTC: '1' } })`
    ann buys 1 @ 100            => refused insufficient_funds
    ann deposits 0.01 USD
    ann buys 1 @ 100            => open, holds 102
  `;

  page('round up once for the whole order, not once a fill', {
    market: spot({ tickSize: '0.1', makerFeeRate: '0.000000000000000003' }),
  })`
    ann buys 4 @ 0.1 as a1      => open, holds 0.400000000000000002   -- 4 × 0.3 = 1.2 units, rounded up
    bob sells 1 @ 0.1
    a1 is partially_filled, fees 0.000000000000000001, holds 0.300000000000000001
    bob sells 1 @ 0.1
    a1 is partially_filled, fees 0.000000000000000001, holds 0.200000000000000001
    bob sells 1 @ 0.1
    a1 is partially_filled, fees 0.000000000000000001, holds 0.100000000000000001
    bob sells 1 @ 0.1
    a1 is filled, fees 0.000000000000000002
    fees has 0.000000000000000002 USD
  `;

  page('both rates add up exactly before the rounding', {
    market: spot({
      tickSize: '0.1',
      makerFeeRate: '0.000000000000000003',
      takerFeeRate: '0.000000000000000006',
    }),
  })`
    bob sells 1 @ 0.1
    ann buys 2 @ 0.1 as a1      => partially_filled, fees 0.000000000000000001   -- 0.6
    bob sells 1 @ 0.1
    a1 is filled, fees 0.000000000000000001                                       -- 0.6 + 0.3
  `;

  page('an order may carry rates of its own', withFees)`
    bob sells 2 @ 100 rates 0/0 as b1
    ann buys 1 @ 100 rates 0.5/0.25   => filled, fees 25
    b1 is partially_filled, fees 0
    cat buys 1 @ 100                  => filled, fees 2
  `;
});

describe('a spot position', () => {
  page('keeps the books of what was traded, never of what was deposited', plain)`
    ann is flat
    bob sells 2 @ 100
    ann buys 2 @ 100
    ann is long 2, cost 200
    bob is short 2, cost 200
    ann deposits 5 BTC
    ann is long 2
  `;

  page('closes at average cost, and a negative one is only bookkeeping', plain)`
    bob sells 1 @ 100
    bob sells 1 @ 200
    ann buys 2 @ 200
    ann is long 2, cost 300
    cat buys 3 @ 180
    ann sells 3 @ 180
    ann is short 1, cost 180, pnl 60    -- 2 × 180 − 300
    ann has 9 BTC
    bob is short 2, cost 300
  `;

  page('a partial close takes its share of the cost, rounded down', {
    market: spot({ tickSize: '0.000000000000000001' }),
  })`
    bob sells 3 @ 0.000000000000000001
    bob sells 3 @ 0.000000000000000002
    ann buys 6 @ 0.000000000000000002
    ann is long 6, cost 0.000000000000000009
    cat buys 5 @ 0.000000000000000005
    ann sells 5 @ 0.000000000000000005
    ann is long 1, cost 0.000000000000000002, pnl 0.000000000000000018   -- 25 − ⌊9 × 5 ⁄ 6⌋
  `;
});
