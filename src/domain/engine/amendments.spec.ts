import { describe } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

const plain = { market: spot() };

describe('amending', () => {
  page('a smaller size keeps the place in the queue', plain)`
    ann buys 3 @ 100 as a1
    bob buys 1 @ 100 as b1
    ann amends a1 to 2          => open, left 2, holds 200
    queue at 100: a1 b1
    cat sells 2 @ 100           => filled
    a1 is filled
    b1 is open
  `;

  page('the same size keeps it too', plain)`
    ann buys 3 @ 100 as a1
    bob buys 1 @ 100 as b1
    ann amends a1 to 3 @ 100
    queue at 100: a1 b1
  `;

  page('a larger size goes to the end', plain)`
    ann buys 1 @ 100 as a1
    bob buys 1 @ 100 as b1
    ann amends a1 to 2
    queue at 100: b1 a1
  `;

  page('another price goes to the end of that price', plain)`
    ann buys 1 @ 100 as a1
    bob buys 1 @ 101 as b1
    ann amends a1 to @ 101
    queue at 101: b1 a1
    ann amends a1 to 1 @ 100
    book: 101 x 1, 100 x 1 | -
  `;

  page('size is the new total, filled part included', plain)`
    ann buys 5 @ 100 as a1
    bob sells 2 @ 100
    ann amends a1 to 4          => partially_filled, filled 2, left 2
    ann amends a1 to 1          => refused size_below_filled
    ann amends a1 to 2          => cancelled amended_to_filled, filled 2, left 0
    ann has 800 USD
    ann amends a1 to 3          => refused order_not_open
  `;

  page('what was decremented stays off, and size = filled still ends the order', plain)`
    ann buys 5 @ 100 as a1
    bob sells 1 @ 100
    ann sells 2 @ 100 decrement
    a1 is partially_filled, filled 1, left 2
    ann amends a1 to 4          => partially_filled, left 1
    ann amends a1 to 1          => cancelled amended_to_filled, filled 1, left 0
  `;

  page('a price that crosses trades as a taker', {
    market: spot({ makerFeeRate: '0.01', takerFeeRate: '0.02' }),
  })`
    ann buys 3 @ 99 as a1
    bob sells 1 @ 101
    ann amends a1 to @ 102      => partially_filled, fills 1 @ 101, left 2, fees 2.02
    book: 102 x 2 | -
  `;

  page('a post-only order is not amended into a trade', plain)`
    ann buys 1 @ 99 post-only as a1
    bob sells 1 @ 101
    ann amends a1 to @ 101      => refused post_only_would_cross
    a1 is open
    queue at 99: a1
  `;

  page('needs the money for the difference', { market: spot(), purse: { USD: '300', BTC: '1' } })`
    ann buys 2 @ 100 as a1
    ann amends a1 to 4          => refused insufficient_funds
    ann amends a1 to 3          => open, holds 300
    ann amends a1 to @ 101      => refused insufficient_funds
    ann amends a1 to 2 @ 150    => open, holds 300
  `;

  page('keeps to the bounds of the market', {
    market: spot({ minSize: '2', maxSize: '9', minNotional: '50', priceMax: '200' }),
  })`
    ann buys 4 @ 100 as a1
    ann amends a1 to 1          => refused size_out_of_range
    ann amends a1 to 10         => refused size_out_of_range
    ann amends a1 to @ 201      => refused price_out_of_range
    ann amends a1 to @ 12       => refused min_notional
    ann amends a1 to @ 13       => open
  `;

  page('belongs to the owner of a live order', plain)`
    ann buys 1 @ 100 as a1
    bob amends a1 to 2          => refused order_not_open
    ann cancels a1
    ann amends a1 to 2          => refused order_not_open
  `;

  page('a stop that waits keeps its place in the order of acceptance', plain)`
    ann buys 1 stop 105 @ 106 as a1
    bob buys 1 stop 105 as b1
    ann amends a1 to 2 @ 107    => untriggered, holds 214
    bob amends b1 to 3          => untriggered
    bob amends b1 to @ 107      => refused order_not_amendable
  `;
});

describe('cancelling', () => {
  page('frees what was held', plain)`
    ann buys 2 @ 100 as a1
    ann has 800 USD, 200 held
    ann cancels a1              => cancelled requested, left 2
    ann has 1000 USD
    ann cancels a1              => refused order_not_open
  `;

  page('is for the owner', plain)`
    ann buys 2 @ 100 as a1
    bob cancels a1              => refused order_not_open
    a1 is open
  `;

  page('all of one market, or all', { market: spot(), others: [event()] })`
    ann buys 1 @ 100 as a1
    ann buys 1 stop 200 as a2
    ann buys 1 @ 0.50 in RAIN as a3
    bob buys 1 @ 100 as b1
    ann cancels all in BTC-USD
    a1 is cancelled requested
    a2 is cancelled requested
    a3 is open
    ann cancels all
    a3 is cancelled requested
    b1 is open
    ann has 1000 USD
  `;
});
