import { describe } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

const coins = { market: spot() };
const contracts = { market: event(), purse: { USD: '100' } };

describe('a quote', () => {
  page('walks the book from its best price to the size', coins)`
    bob sells 2 @ 101
    cat sells 2 @ 102
    ann is quoted 3 to buy          => size 3, notional 304, fee 0, worst 102
    ann is quoted 2 to buy          => notional 202, worst 101
    bob buys 1 @ 99
    cat buys 3 @ 98
    ann is quoted 2 to sell         => notional 197, worst 98
  `;

  page('makes whole lots of a stake, rounded down', { market: spot({ lotSize: '0.5' }) })`
    bob sells 2 @ 100
    cat sells 2 @ 110
    ann is quoted stake 100 to buy  => size 1, notional 100, worst 100
    ann is quoted stake 149 to buy  => size 1, notional 100, worst 100
    ann is quoted stake 309 to buy  => size 2.5, notional 255, worst 110
    ann is quoted stake 420 to buy  => size 4, notional 420, worst 110
  `;

  page('spends a stake on falling prices, too, and price before size', contracts)`
    bob buys 11 @ 0.48
    cat buys 35 @ 0.42
    ann is quoted stake 7 to sell   => size 15, notional 6.96, worst 0.42
    ann is quoted stake 0.47 to sell => refused size_out_of_range
  `;

  page('takes a stake for used up where no further lot could be had for the rest', contracts)`
    bob sells 10 @ 0.40
    ann is quoted stake 4.39 to buy => size 10, notional 4, worst 0.4
    ann is quoted stake 4.4 to buy  => refused insufficient_liquidity
  `;

  page('tells the fee that accepting it will charge, rounded up once', {
    market: spot({ takerFeeRate: '0.000000000000000001', tickSize: '0.1', lotSize: '0.1' }),
  })`
    bob sells 0.1 @ 1.1
    cat sells 0.1 @ 1.2
    ann is quoted 0.2 to buy        => notional 0.23, fee 0.000000000000000001
    ann accepts 0.2 to buy for 0.23 => filled, fees 0.000000000000000001
  `;

  page('counts own orders as no liquidity', coins)`
    ann sells 5 @ 100
    bob sells 1 @ 101
    ann is quoted 1 to buy          => notional 101, worst 101
    ann is quoted 2 to buy          => refused insufficient_liquidity
    bob is quoted 2 to buy          => notional 200
  `;

  page('counts of what may only reduce just what it can', coins)`
    bob buys 2 @ 50
    cat sells 2 @ 50
    bob sells 5 @ 100 reduce-only
    dan sells 1 @ 105
    ann is quoted 3 to buy          => notional 305, worst 105
    ann is quoted 4 to buy          => refused insufficient_liquidity
  `;

  page('needs no money yet', coins)`
    bob sells 10 @ 500
    ann is quoted 10 to buy         => notional 5000
    ann accepts 10 to buy for 5000  => refused insufficient_funds
  `;

  page('is refused where nothing can be quoted', { market: spot({ minSize: '2', maxSize: '4' }) })`
    ann is quoted 2 to buy          => refused insufficient_liquidity
    ann is quoted stake 2 to buy    => refused insufficient_liquidity
    bob sells 4 @ 100
    bob sells 4 @ 100
    ann is quoted 1 to buy          => refused size_out_of_range
    ann is quoted 5 to buy          => refused size_out_of_range
    ann is quoted stake 199 to buy  => refused size_out_of_range
    ann is quoted stake 500 to buy  => refused size_out_of_range
    ann is quoted stake 499 to buy  => size 4, notional 400
    ann is quoted 2 to buy in NOWHERE => refused market_not_found
    nobody is quoted 2 to buy       => refused account_not_found
    market halts
    ann is quoted 2 to buy          => refused market_not_open
  `;
});

describe('an accepted quote', () => {
  page('fills the whole size at once for no more than its bound', coins)`
    bob sells 2 @ 101
    cat sells 2 @ 102
    ann accepts 3 to buy for 304    => filled, fills 2 @ 101 + 1 @ 102
    ann has 696 USD
    ann has 13 BTC
    book: - | 102 x 1
  `;

  page('fills a sale for no less than its bound', coins)`
    bob buys 2 @ 101
    cat buys 2 @ 100
    ann accepts 3 to sell for 302   => filled, fills 2 @ 101 + 1 @ 100
    ann has 1302 USD
    book: 100 x 1 | -
  `;

  page('gives a better book to who takes it', coins)`
    bob sells 2 @ 101
    cat sells 2 @ 90
    ann accepts 2 to buy for 202    => filled, fills 2 @ 90
    ann has 820 USD
    dan buys 1 @ 80
    ann accepts 1 to sell for 70    => filled, fills 1 @ 80
  `;

  page('is stale where the total passes the bound by the least there is', coins)`
    bob sells 2 @ 101
    ann accepts 2 to buy for 201.999999999999999999   => refused quote_stale
    cat buys 2 @ 100
    ann accepts 2 to sell for 200.000000000000000001  => refused quote_stale
    ann has 1000 USD
    book: 100 x 2 | 101 x 2
  `;

  page('is stale where the book holds too little', coins)`
    bob sells 2 @ 101
    ann accepts 3 to buy for 1000   => refused quote_stale
    book: - | 101 x 2
    trades: none
  `;

  page('passes own orders by and leaves them as they are', coins)`
    ann sells 1 @ 100 as a1
    bob sells 2 @ 101
    ann sells 1 @ 101 as a2
    cat sells 2 @ 102
    ann accepts 3 to buy for 304    => filled, fills 2 @ 101 + 1 @ 102
    a1 is open, left 1, holds 1
    a2 is open, left 1, holds 1
    book: - | 100 x 1, 101 x 1, 102 x 1
  `;

  page('counts own orders as no liquidity', coins)`
    ann sells 5 @ 100
    ann accepts 1 to buy for 1000   => refused quote_stale
    book: - | 100 x 5
  `;

  page('ends orders that may only reduce and have nothing left to reduce', coins)`
    bob buys 1 @ 50
    cat sells 1 @ 50
    bob sells 1 @ 100 reduce-only as b1
    dan sells 2 @ 101
    cat buys 1 @ 70
    bob sells 1 @ 70
    ann accepts 2 to buy for 202    => filled, fills 2 @ 101
    b1 is cancelled reduce_only
  `;

  page('expires at its moment', coins)`
    bob sells 2 @ 101
    ann accepts 2 to buy for 202 too late => refused quote_expired
    ann accepts 2 to buy for 202          => filled
  `;

  page('needs its money, the fee included', {
    market: spot({ takerFeeRate: '0.1' }),
    purse: { USD: '200', BTC: '10' },
  })`
    bob sells 2 @ 100
    ann accepts 2 to buy for 200    => refused insufficient_funds
    book: - | 100 x 2
    ann deposits 20 USD
    ann accepts 2 to buy for 200    => filled, fees 20
    ann has 0 USD
  `;

  page('needs what it sells', { market: spot(), purse: { USD: '1000', BTC: '1' } })`
    bob buys 2 @ 100
    ann accepts 2 to sell for 200   => refused insufficient_funds
    ann accepts 1 to sell for 100   => filled
  `;

  page('keeps to the sizes of its market', { market: spot({ minSize: '2', maxSize: '3' }) })`
    bob sells 3 @ 100
    bob sells 3 @ 100
    ann accepts 1 to buy for 1000   => refused size_out_of_range
    ann accepts 4 to buy for 1000   => refused size_out_of_range
    ann accepts 3 to buy for 300    => filled
  `;

  page('is for markets that are open and accounts that exist', coins)`
    bob sells 2 @ 100
    ann accepts 1 to buy for 100 in NOWHERE => refused market_not_found
    nobody accepts 1 to buy for 100 => refused account_not_found
    market halts
    ann accepts 1 to buy for 100    => refused market_not_open
  `;

  page('cannot be bound by what is no amount', coins)`
    bob sells 2 @ 100
    ann accepts 1 to buy for -1     => refused invalid_amount
  `;

  page('lets stops run that it triggers', coins)`
    bob sells 1 @ 100
    cat buys 1 stop 100 as c1
    bob sells 1 @ 101
    ann accepts 1 to buy for 100    => filled, fills 1 @ 100
    c1 is filled
    trades: 1 @ 100, 1 @ 101
  `;
});

describe('a bet', () => {
  page('backs with its stake and lays with its liability', contracts)`
    bob sells 10 @ 0.40
    ann accepts 10 to buy for 4     => filled, fills 10 @ 0.4
    ann has 96 USD
    bob has 94 USD
    cat buys 10 @ 0.30
    dan accepts 10 to sell for 3    => filled, fills 10 @ 0.3
    dan has 93 USD
    pool has 20 USD
  `;

  page('closes what its account holds against it, and opens the rest', contracts)`
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    cat buys 15 @ 0.60
    ann accepts 15 to sell for 9    => filled, fills 15 @ 0.6
    ann is short 5, cost 3, pnl 2
    ann has 100 USD                 -- 96 + 6 for what it closed, 2 for what it opened
    pool has 15 USD
  `;

  page('uses what closing brings in to open', { market: event(), purse: { USD: '6' } })`
    bob sells 10 @ 0.40
    ann buys 10 @ 0.40
    ann has 2 USD
    cat buys 10 @ 0.50
    dan buys 12 @ 0.50
    ann accepts 22 to sell for 11   => filled      -- 2 and 5 are there for the 6 that twelve cost
    ann is short 12, cost 6, pnl 1
    ann has 1 USD
  `;

  page('needs all of its liability', { market: event(), purse: { USD: '6' } })`
    bob buys 12 @ 0.40
    ann accepts 11 to sell for 4.4  => refused insufficient_funds
    ann accepts 10 to sell for 4    => filled
    ann has 0 USD
  `;
});
