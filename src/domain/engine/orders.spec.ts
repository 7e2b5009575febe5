import { describe } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

const plain = { market: spot() };

describe('limit orders', () => {
  page('rest until somebody comes', plain)`
    ann buys 2 @ 100 as a1   => open, fills nothing, left 2
    book: 100 x 2 | -
    last price is none
  `;

  page('trade at the maker’s price, and rest with what is left', plain)`
    bob sells 2 @ 101 as b1
    ann buys 3 @ 105         => partially_filled, fills 2 @ 101, left 1
    b1 is filled, left 0
    book: 105 x 1 | -
    last price is 101
    ann has 693 USD, 105 held
    ann has 12 BTC
    bob has 1202 USD
    bob has 8 BTC
  `;

  page('take the best price first, then the oldest at a price', plain)`
    bob sells 1 @ 102 as b1
    cat sells 1 @ 101 as c1
    bob sells 1 @ 101 as b2
    dan sells 1 @ 101 as d1
    queue at 101: c1 b2 d1
    ann buys 3 @ 102         => filled, fills 1 @ 101 + 1 @ 101 + 1 @ 101
    ann buys 1 @ 102         => filled, fills 1 @ 102
    book: - | -
  `;

  page('of the same price fill in turn, the head first', plain)`
    bob sells 3 @ 101 as b1
    cat sells 3 @ 101 as c1
    ann buys 4 @ 101         => filled, fills 3 @ 101 + 1 @ 101
    b1 is filled
    c1 is partially_filled, left 2
    queue at 101: c1
  `;

  page('do not trade through their limit', plain)`
    bob sells 1 @ 101
    bob sells 1 @ 103
    ann buys 2 @ 102         => partially_filled, fills 1 @ 101
    book: 102 x 1 | 103 x 1
  `;

  page('sell down the bids', plain)`
    ann buys 1 @ 100
    cat buys 1 @ 99
    bob sells 3 @ 99 as b1   => partially_filled, fills 1 @ 100 + 1 @ 99, left 1
    book: - | 99 x 1
    b1 is partially_filled, filled 2
  `;
});

describe('market orders', () => {
  page('take what there is', plain)`
    bob sells 1 @ 101
    cat sells 2 @ 103
    ann buys 2 at market     => filled, fills 1 @ 101 + 1 @ 103
    ann has 796 USD
    book: - | 103 x 1
  `;

  page('end with what is left when the book is empty', plain)`
    ann buys 1 at market     => cancelled no_liquidity, fills nothing, left 1
    bob sells 1 @ 101
    ann buys 3 at market     => cancelled no_liquidity, fills 1 @ 101, left 2
  `;

  const banded = { market: spot({ marketOrderBand: '20' }), purse: { USD: '100000', BTC: '100' } };

  page('stop where prices are too far from the best one, and their rest ends', banded)`
    bob sells 1 @ 100
    cat sells 1 @ 120
    dan sells 5 @ 121
    ann buys 3 at market     => cancelled band_reached, fills 1 @ 100 + 1 @ 120, left 1
    ann buys 3 at market     => filled, fills 3 @ 121          -- now that is the best one
    ann buys 3 @ 80
    bob buys 1 @ 100
    cat sells 3 at market    => filled, fills 1 @ 100 + 2 @ 80
  `;

  page('stop for sellers as for buyers, and so do stops when they run', banded)`
    ann buys 1 @ 100
    bob buys 5 @ 70
    cat sells 2 at market    => cancelled band_reached, fills 1 @ 100, left 1
    ann buys 2 @ 90
    dan sells 4 stop 95 as d1
    cat sells 1 at market    => filled, fills 1 @ 90
    d1 is cancelled band_reached, filled 1
    book: 70 x 5 | -
  `;

  page('take any price in a market without a band', { market: spot(), purse: { USD: '100000', BTC: '9' } })`
    bob sells 1 @ 100
    cat sells 1 @ 3000
    ann buys 2 at market     => filled, fills 1 @ 100 + 1 @ 3000
  `;

  page('are affordable at the prices they meet, or refused with nothing done', {
    market: spot(),
    purse: { USD: '205', BTC: '2' },
  })`
    bob sells 1 @ 101
    cat sells 1 @ 105
    ann buys 2 at market     => refused insufficient_funds
    book: - | 101 x 1, 105 x 1
    ann has 205 USD
    ann buys 1 at market     => filled, fills 1 @ 101
    ann sells 4 at market    => cancelled no_liquidity, fills nothing
    dan buys 4 @ 50
    ann sells 4 at market    => refused insufficient_funds
    ann sells 3 at market    => filled, fills 3 @ 50
  `;

  page('need the fee as well', { market: spot({ takerFeeRate: '0.01' }), purse: { USD: '101', BTC: '1' } })`
    bob sells 1 @ 101 as b1
    ann buys 1 at market     => refused insufficient_funds
    bob amends b1 to @ 100
    ann buys 1 at market     => filled, fees 1
    ann has 0 USD
  `;
});

describe('time in force', () => {
  page('IOC: what is not filled at once is cancelled', plain)`
    bob sells 1 @ 101
    ann buys 3 @ 101 IOC     => cancelled ioc_remainder, fills 1 @ 101, left 2
    ann buys 3 @ 101 IOC     => cancelled ioc_remainder, fills nothing, left 3
    book: - | -
    ann has 899 USD
  `;

  page('FOK: all or nothing', plain)`
    bob sells 1 @ 101
    cat sells 1 @ 102
    ann buys 3 @ 102 FOK     => cancelled fok_not_filled, fills nothing, left 3
    ann buys 2 @ 101 FOK     => cancelled fok_not_filled, fills nothing
    book: - | 101 x 1, 102 x 1
    ann buys 2 @ 102 FOK     => filled, fills 1 @ 101 + 1 @ 102
  `;

  page('FOK: one’s own orders never count', plain)`
    bob sells 1 @ 101
    ann sells 1 @ 101 as a1
    cat sells 1 @ 101
    ann buys 2 @ 101 FOK                  => cancelled fok_not_filled
    ann buys 3 @ 101 FOK cancel_oldest    => cancelled fok_not_filled
    ann buys 2 @ 101 FOK decrement        => cancelled fok_not_filled
    a1 is open, left 1
    ann buys 2 @ 101 FOK cancel_oldest    => filled, fills 1 @ 101 + 1 @ 101
    a1 is cancelled self_trade
  `;

  page('FOK at market', plain)`
    bob sells 1 @ 101
    ann buys 2 at market FOK   => cancelled fok_not_filled, fills nothing
    ann buys 1 at market FOK   => filled
  `;

  page('GTD: rests until its time has come', plain)`
    ann buys 1 @ 100 GTD 10 as a1   => open
    9 s pass
    a1 is open
    1 s pass
    a1 is expired
    ann has 1000 USD
    ann buys 1 @ 100 GTD 0          => refused already_expired
  `;

  page('GTD: trades no more once its time has come, also while it still stands in the book', plain)`
    bob sells 1 @ 101 GTD 10 as b1
    bob sells 1 @ 102 GTD 60 as b2
    cat sells 1 @ 102 as c1
    60 s pass unnoticed
    book: - | 101 x 1, 102 x 2
    ann buys 1 @ 101 post-only as a1  => open, fills nothing
    b1 is expired, left 1
    dan sells 1 @ 101                 => filled, fills 1 @ 101
  `;

  page('GTD: is passed by on the way to who is still there', plain)`
    bob sells 1 @ 101 GTD 10 as b1
    cat sells 1 @ 102 as c1
    10 s pass unnoticed
    ann buys 1 at market   => filled, fills 1 @ 102
    b1 is expired, left 1
    bob has 10 BTC
    c1 is filled
  `;

  page('GTD: is not amended into a trade after its time', plain)`
    bob sells 1 @ 101
    ann buys 1 @ 100 GTD 10 as a1
    10 s pass unnoticed
    ann amends a1 to @ 101  => refused order_not_open
  `;

  page('GTD: the filled part stays filled', plain)`
    ann buys 3 @ 100 GTD 10 as a1
    bob sells 1 @ 100
    60 s pass
    a1 is expired, filled 1, left 2
    book: - | -
  `;
});

describe('post-only', () => {
  page('is refused where it would trade, also with oneself', plain)`
    bob sells 1 @ 101
    ann buys 1 @ 101 post-only   => refused post_only_would_cross
    bob buys 1 @ 102 post-only   => refused post_only_would_cross
    ann buys 1 @ 100 post-only   => open
    book: 100 x 1 | 101 x 1
  `;
});

describe('reduce-only', () => {
  page('needs a position to reduce', plain)`
    ann sells 1 @ 100 reduce-only   => refused reduce_only_violated
    bob sells 2 @ 100
    ann buys 2 @ 100
    ann is long 2
    ann buys 1 @ 100 reduce-only    => refused reduce_only_violated
    ann sells 1 @ 100 reduce-only   => open
  `;

  page('as a taker stops where it would open', plain)`
    bob sells 2 @ 100
    ann buys 2 @ 100
    cat buys 5 @ 99
    ann sells 3 @ 99 reduce-only    => cancelled reduce_only, fills 2 @ 99, left 1
    ann is flat, cost 0, pnl -2
    book: 99 x 3 | -
  `;

  page('as a taker with nothing left to reduce leaves the next makers alone', plain)`
    bob sells 2 @ 100
    ann buys 2 @ 100
    cat buys 2 @ 99
    ann buys 1 @ 98 as a1
    ann sells 3 @ 98 reduce-only cancel_oldest   => cancelled reduce_only, fills 2 @ 99
    a1 is open
  `;

  page('as a maker fills no more than the position, the rest is cancelled', plain)`
    bob sells 2 @ 100
    ann buys 2 @ 100
    ann sells 3 @ 105 reduce-only as a1
    cat sells 1 @ 105 as c1
    dan buys 4 @ 105                => partially_filled, fills 2 @ 105 + 1 @ 105, left 1
    a1 is cancelled reduce_only, filled 2, left 1
    c1 is filled
  `;

  page('as a maker whose position has gone is cancelled when it is met', plain)`
    bob sells 2 @ 100
    ann buys 2 @ 100
    ann sells 1 @ 105 reduce-only as a1
    cat buys 2 @ 101
    ann sells 2 @ 101
    ann is flat
    a1 is open
    dan buys 1 @ 105                => open, fills nothing
    a1 is cancelled reduce_only
  `;

  page('makers of one account share its position', plain)`
    bob sells 3 @ 100
    ann buys 3 @ 100
    ann sells 2 @ 104 as a1
    ann sells 2 @ 105 reduce-only as a2
    ann sells 2 @ 106 reduce-only as a3
    dan buys 6 @ 106                => partially_filled, fills 2 @ 104 + 1 @ 105, left 3
    a1 is filled
    a2 is cancelled reduce_only, filled 1
    a3 is cancelled reduce_only, filled 0
  `;
});

describe('self-trade prevention', () => {
  page('cancel_newest: the incoming order ends, the resting one stays', plain)`
    bob sells 1 @ 100
    ann sells 1 @ 101 as a1
    ann buys 3 @ 101                  => cancelled self_trade, fills 1 @ 100, left 2
    a1 is open
  `;

  page('cancel_oldest: the resting order ends, the incoming one goes on', plain)`
    ann sells 1 @ 101 as a1
    bob sells 1 @ 102
    ann buys 3 @ 102 cancel_oldest    => partially_filled, fills 1 @ 102, left 2
    a1 is cancelled self_trade
    book: 102 x 2 | -
  `;

  page('cancel_both: both end', plain)`
    ann sells 1 @ 101 as a1
    bob sells 1 @ 102
    ann buys 3 @ 102 cancel_both      => cancelled self_trade, fills nothing
    a1 is cancelled self_trade
    book: - | 102 x 1
  `;

  page('decrement: both become smaller by the smaller, without a fill', plain)`
    ann sells 2 @ 101 as a1
    ann buys 5 @ 101 decrement as a2  => open, fills nothing, left 3
    a1 is cancelled self_trade, filled 0, left 0
    book: 101 x 3 | -
    ann sells 1 @ 101 decrement       => cancelled self_trade, left 0
    a2 is open, left 2
    last price is none
  `;

  page('the mode of the incoming order decides', plain)`
    ann sells 1 @ 101 cancel_oldest as a1
    ann buys 1 @ 101                  => cancelled self_trade
    a1 is open
  `;

  page('what it takes off own orders counts for what a market order can afford', {
    market: event(),
    purse: { USD: '10' },
  })`
    ann sells 10 @ 0.50 as a1         -- holds 5
    bob sells 10 @ 0.50
    ann buys 10 @ 0.20                -- holds 2
    ann has 3 USD, 7 held
    cat sells 8 @ 0.51
    ann buys 18 at market decrement   => cancelled self_trade, fills 8 @ 0.5, left 0
    a1 is cancelled self_trade
    ann is long 8
  `;

  page('and no more than it takes off', { market: event(), purse: { USD: '4' } })`
    ann sells 20 @ 0.90 as a1         -- holds 2
    cat sells 4 @ 0.89
    ann buys 10 at market decrement   => refused insufficient_funds   -- 3.56 for four, 1 for ten uncovered
    a1 is open, left 20
    dan gives ann 0.56 USD
    ann buys 10 at market decrement   => cancelled self_trade, fills 4 @ 0.89
    a1 is open, left 14, holds 1
    ann has 0 USD, 1 held
  `;
});

describe('what a market refuses', () => {
  page('sizes and prices out of its bounds', {
    market: spot({ minSize: '2', maxSize: '5', minNotional: '100', priceMin: '10', priceMax: '90' }),
  })`
    ann buys 1 @ 90             => refused size_out_of_range
    ann buys 6 @ 20             => refused size_out_of_range
    ann buys 2 @ 9              => refused price_out_of_range
    ann buys 2 @ 91             => refused price_out_of_range
    ann buys 2 @ 49             => refused min_notional
    ann buys 2 @ 50             => open
    ann buys 2 stop 91          => refused price_out_of_range
  `;

  page('the first of several reasons, in a fixed order', {
    market: spot({ minSize: '2', minNotional: '1000000', priceMax: '90' }),
  })`
    ann buys 1 @ 500 GTD 0 in NOWHERE   => refused market_not_found
    market halts
    ann buys 1 @ 500 GTD 0              => refused market_not_open
    market opens
    ann buys 1 @ 500 GTD 0              => refused already_expired
    ann buys 1 @ 500                    => refused size_out_of_range
    ann buys 2 @ 500                    => refused price_out_of_range
    ann buys 2 @ 50 reduce-only         => refused min_notional
    ann buys 20000 @ 50 reduce-only     => refused reduce_only_violated
    ann buys 20000 @ 50 post-only       => refused insufficient_funds
  `;
});
