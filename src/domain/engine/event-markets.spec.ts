import { describe } from 'vitest';
import { event } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

const purse = { USD: '100' };
const plain = { market: event(), purse };
const ended = (value: string): string => `
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    market closes
    market settles at ${value}
    open interest is 0
    pool has 0 USD
    ann is flat
    bob is flat`;

describe('what an event order holds', () => {
  page('p for each contract that a buyer may open, 1 − p for each of a seller', plain)`
    ann buys 10 @ 0.30          => open, holds 3
    bob sells 10 @ 0.70         => open, holds 3
  `;

  page('nothing for what closes a position', plain)`
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    ann sells 10 @ 0.60 as a1   => open, holds 0
    ann sells 5 @ 0.60 as a2    => open, holds 2
    bob buys 4 @ 0.30 as b1     => open, holds 0
  `;

  page('the fee alone for what closes', { market: event({ takerFeeRate: '0.1' }), purse })`
    bob sells 10 @ 0.40 as b1   => open, holds 6.4
    ann buys 10 @ 0.40          => filled, fees 0.4
    ann sells 10 @ 0.60         => open, holds 0.6
  `;

  page('a position covers opposite orders in order of acceptance', plain)`
    bob sells 10 @ 0.50
    ann buys 10 @ 0.50
    ann sells 6 @ 0.70 as a1    => open, holds 0
    ann sells 6 @ 0.60 as a2    => open, holds 0.8     -- four of six are covered
    ann sells 1 @ 0.90 as a3    => open, holds 0.1
    ann cancels a1
    a2 is open, holds 0
    a3 is open, holds 0
  `;

  page('amended orders keep their place in the order of acceptance', plain)`
    bob sells 10 @ 0.50
    ann buys 10 @ 0.50
    ann sells 5 @ 0.70 as a1
    ann sells 5 @ 0.60 as a2
    ann amends a1 to 8 @ 0.80   => open, holds 0
    a2 is open, holds 1.2       -- two of five are covered
  `;

  page('an earlier order loses its cover when a later one fills first', plain)`
    bob sells 10 @ 0.50
    ann buys 10 @ 0.50
    ann has 95 USD
    ann sells 10 @ 0.70 as a1   => open, holds 0
    ann sells 10 @ 0.60 as a2   => open, holds 4
    cat buys 10 @ 0.60
    a2 is filled
    a1 is open, holds 3         -- out of the 6 that came in and the 4 that were held
    ann has 98 USD, 3 held
    ann is flat, pnl 1
  `;

  page('also when there is no other money', { market: event(), purse: { USD: '5' } })`
    bob sells 10 @ 0.50
    ann buys 10 @ 0.50
    ann has 0 USD
    ann sells 10 @ 0.02 as a1   => open, holds 0
    ann sells 1 @ 0.01          => refused insufficient_funds
    dan gives ann 4.95 USD
    ann sells 5 @ 0.01 as a2    => open, holds 4.95
    ann has 0 USD, 4.95 held
    cat buys 5 @ 0.01
    a2 is filled
    a1 is open, holds 4.9
    ann has 0.1 USD, 4.9 held   -- 4.95 held before, and 5 × 0.01 came in
  `;

  page('a stop_limit takes its share of the cover too, a stop does not', plain)`
    bob sells 4 @ 0.50
    ann buys 4 @ 0.50
    ann sells 4 stop 0.30 as a1
    ann sells 3 stop 0.30 @ 0.25 as a2   => untriggered, holds 0
    ann sells 2 @ 0.60                   => open, holds 0.4
  `;

  page('market orders are affordable on balance: what closing brings in pays for what opens', {
    market: event(),
    purse: { USD: '4' },
  })`
    bob sells 4 @ 0.50
    ann buys 4 @ 0.50
    ann has 2 USD
    cat buys 8 @ 0.50
    ann sells 9 at market       => cancelled no_liquidity, fills 8 @ 0.5
    ann is short 4
    ann has 2 USD
    dan sells 8 @ 0.50
    ann buys 13 at market       => cancelled no_liquidity, fills 8 @ 0.5
    ann is long 4
  `;

  page('market orders that cannot be paid are refused whole', { market: event(), purse: { USD: '2' } })`
    bob sells 2 @ 0.50
    cat sells 8 @ 0.75
    ann buys 10 at market       => refused insufficient_funds
    ann is flat
    ann buys 3 at market        => filled, fills 2 @ 0.5 + 1 @ 0.75
  `;
});

describe('event fills', () => {
  page('two who open pay one together into the pool', plain)`
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    ann has 96 USD
    bob has 94 USD
    pool has 10 USD
    open interest is 10
    ann is long 10, cost 4
    bob is short 10, cost 4
  `;

  page('two who close take one together out of it', plain)`
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    bob buys 4 @ 0.55
    ann sells 4 @ 0.55
    pool has 6 USD
    open interest is 6
    ann has 98.2 USD
    bob has 95.8 USD
    ann is long 6, cost 2.4, pnl 0.6
    bob is short 6, cost 2.4, pnl -0.6
  `;

  page('one who opens takes over from one who closes', plain)`
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    cat buys 10 @ 0.70
    ann sells 10 @ 0.70
    pool has 10 USD
    open interest is 10
    ann is flat, cost 0, pnl 3
    ann has 103 USD
    cat is long 10, cost 7
  `;

  page('a fill that crosses zero is split there', plain)`
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    cat buys 15 @ 0.60
    ann sells 15 @ 0.60         => filled, fills 15 @ 0.6
    ann is short 5, cost 3, pnl 2
    ann has 100 USD             -- 96 + 10 × 0.6 − 5 × 0.4
    open interest is 15
    pool has 15 USD
    bob is short 10
    cat is long 15
  `;

  page('fees come on top, p·(1−p) where the market says so', {
    market: event({ makerFeeRate: '0', takerFeeRate: '0.1', feeBase: 'variance' }),
    purse,
  })`
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40          => filled, fees 0.24
    ann has 95.76 USD
    fees has 0.24 USD
    pool has 10 USD
    ann is long 10, cost 4, pnl 0
  `;

  page('closing is never dearer than what it brings and what is held', {
    market: event({ makerFeeRate: '0.9', takerFeeRate: '0.9', feeBase: 'variance' }),
    purse: { USD: '20' },
  })`
    bob sells 10 @ 0.10
    ann buys 10 @ 0.10
    ann is long 10
    cat buys 10 @ 0.50
    ann sells 10 @ 0.01         => filled, fills 10 @ 0.5, fees 2.25
    ann has 20.94 USD           -- 20 − 1 − 0.81 + 5 − 2.25
  `;
});

describe('settlement', () => {
  page('at 1 the longs have it all', plain)`${ended('1')}
    ann has 106 USD
    bob has 94 USD
  `;

  page('at 0 the shorts have it all', plain)`${ended('0')}
    ann has 96 USD
    bob has 104 USD
  `;

  page('at 0.5 they share', plain)`${ended('0.5')}
    ann has 101 USD
    bob has 99 USD
    ann is flat, cost 0, pnl 1
    bob is flat, cost 0, pnl -1
  `;

  page('to the last unit, whatever the value', { market: event({ lotSize: '0.1' }), purse })`
    bob sells 0.2 @ 0.50
    dan sells 0.1 @ 0.50
    ann buys 0.1 @ 0.50
    cat buys 0.2 @ 0.50
    market closes
    market settles at 0.333333333333333335   => refused amount_too_precise
    market settles at 0.33333333333333333
    pool has 0 USD
    ann has 99.983333333333333333 USD
    bob has 100.033333333333333334 USD
  `;

  page('comes after closing, once, with a value from 0 to 1', plain)`
    market settles at 1         => refused invalid_status_change
    market closes
    market settles              => refused invalid_amount
    market settles at 1.01      => refused invalid_amount
    market settles at 01        => refused invalid_amount
    market settles at 1
    market settles at 0         => refused invalid_status_change
    market opens                => refused invalid_status_change
  `;
});
