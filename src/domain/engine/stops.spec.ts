import { describe } from 'vitest';
import { spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

const plain = { market: spot() };
const rich = { market: spot(), purse: { USD: '1000000', BTC: '1000' } };

describe('a stop', () => {
  page('waits, holds nothing, and becomes a market order', plain)`
    ann buys 1 stop 105 as a1        => untriggered, holds 0
    bob sells 2 @ 105
    cat buys 1 @ 104
    a1 is untriggered
    dan buys 1 @ 105                 => filled
    a1 is filled, filled 1
    trades: 1 @ 105, 1 @ 105
  `;

  page('buys on a rise to its price, sells on a fall to it', plain)`
    ann buys 1 stop 105 as a1
    bob sells 1 stop 95 as b1
    cat sells 1 @ 104
    dan buys 1 @ 104
    a1 is untriggered
    b1 is untriggered
    cat buys 2 @ 95
    dan sells 1 @ 95
    b1 is filled
    a1 is untriggered
  `;

  page('that is reached already runs at once', plain)`
    bob sells 3 @ 100
    dan buys 1 @ 100
    ann buys 1 stop 99               => filled, fills 1 @ 100
    ann buys 1 stop 100              => filled, fills 1 @ 100
    ann sells 1 stop 101             => cancelled no_liquidity
  `;

  page('is reached by any trade of a sweep, not only by the last', plain)`
    ann sells 1 stop 96 as a1
    bob sells 1 @ 95
    bob sells 1 @ 100
    cat buys 3 @ 101                 => filled, fills 1 @ 95 + 1 @ 100 + 1 @ 101
    a1 is filled
    last price is 101
  `;

  page('finds nothing left and ends', plain)`
    ann buys 1 stop 105 as a1
    bob sells 1 @ 105
    dan buys 1 @ 105
    a1 is cancelled no_liquidity, filled 0
  `;

  page('is checked for money when it triggers', { market: spot(), purse: { USD: '120', BTC: '3' } })`
    ann buys 2 stop 105 as a1
    bob sells 3 @ 105
    dan buys 1 @ 105
    a1 is rejected insufficient_funds, filled 0
    ann has 120 USD
    book: - | 105 x 2
  `;

  page('that may only reduce is rejected when there is nothing to reduce any more', plain)`
    bob sells 1 @ 100
    ann buys 1 @ 100
    ann sells 1 stop 95 reduce-only as a1
    cat buys 1 @ 98
    ann sells 1 @ 98
    cat buys 2 @ 95
    dan sells 1 @ 95
    a1 is rejected reduce_only_violated
  `;

  page('is cancelled like any order, also after it has triggered', rich)`
    ann buys 1 stop 105 as a1
    ann cancels a1                   => cancelled requested
    bob sells 1 @ 105
    dan buys 1 @ 105                 => filled, fills 1 @ 105
  `;
});

describe('a stop_limit', () => {
  page('holds like its limit from the start', plain)`
    ann buys 2 stop 105 @ 110 as a1  => untriggered, holds 220
    ann has 780 USD, 220 held
    bob sells 2 stop 95 @ 90         => untriggered, holds 2
  `;

  page('becomes a limit order, trades, and rests with what is left', plain)`
    ann buys 3 stop 105 @ 106 as a1
    bob sells 1 @ 105
    bob sells 1 @ 106
    bob sells 1 @ 107
    dan buys 1 @ 105
    a1 is partially_filled, filled 1, left 2
    book: 106 x 2 | 107 x 1
  `;

  page('takes its place in the queue when it triggers, not when it was sent', plain)`
    ann buys 1 stop 105 @ 100 as a1
    bob buys 1 @ 100 as b1
    cat sells 1 @ 105
    dan buys 1 @ 105
    queue at 100: b1 a1
  `;

  page('that is post-only is rejected when it would trade', plain)`
    ann buys 1 stop 105 @ 106 post-only as a1
    bob sells 2 @ 105
    dan buys 1 @ 105
    a1 is rejected post_only_would_cross
    ann has 1000 USD
  `;

  page('keeps its time in force', plain)`
    ann buys 2 stop 105 @ 106 IOC as a1
    cat buys 5 stop 105 @ 106 FOK as c1
    bob sells 2 @ 105
    dan buys 1 @ 105
    a1 is cancelled ioc_remainder, filled 1
    c1 is cancelled fok_not_filled
  `;

  page('that has triggered too late for its own time expires instead of trading', plain)`
    bob sells 1 @ 105
    bob sells 1 @ 106 as b2
    ann buys 1 stop 105 @ 106 GTD 10 as a1
    10 s pass unnoticed
    dan buys 1 @ 105                 => filled
    a1 is expired
    b2 is open
  `;

  page('expires while it waits', plain)`
    ann buys 1 stop 105 @ 106 GTD 10 as a1
    10 s pass
    a1 is expired
    ann has 1000 USD
    bob sells 1 @ 105
    dan buys 1 @ 105                 => filled
  `;
});

describe('stops that trigger together', () => {
  page('run in order of acceptance, whatever their prices', plain)`
    ann buys 1 stop 103 as a1
    cat buys 1 stop 101 as c1
    bob sells 1 @ 103
    bob sells 1 @ 104
    bob sells 1 @ 106
    dan buys 1 @ 103
    trades: 1 @ 103, 1 @ 104, 1 @ 106
    a1 is filled, filled 1
    c1 is filled, filled 1
    ann has 896 USD
    cat has 894 USD
  `;

  page('set each other off in a cascade, older ones first', rich)`
    ann sells 1 stop 97 as a1
    cat sells 1 stop 99 as c1
    ann sells 1 stop 98 as a2
    bob buys 1 @ 99
    bob buys 1 @ 98
    bob buys 1 @ 97
    bob buys 1 @ 96
    dan sells 1 @ 99                 => filled, fills 1 @ 99
    trades: 1 @ 99, 1 @ 98, 1 @ 97, 1 @ 96
    a1 is filled
    c1 is filled
    a2 is filled
    book: - | -
  `;

  const manyStops = Array.from({ length: 230 }, () => 'ann buys 1 stop 100').join('\n');

  page('run a hundred a command, the rest in the next', { ...rich, purse: { USD: '1000000', BTC: '1000' } })`
    bob sells 300 @ 100
    ${manyStops}
    dan buys 1 @ 100
    130 more stops wait
    book: - | 100 x 199
    waiting stops run
    30 more stops wait
    waiting stops run
    0 more stops wait
    book: - | 100 x 69
  `;

  page('and wait through a halt', rich)`
    bob sells 300 @ 100
    ${manyStops}
    dan buys 1 @ 100
    market halts
    waiting stops run
    130 more stops wait
    market opens
    30 more stops wait
  `;

  page('and are no more amended, only cancelled', rich)`
    bob sells 300 @ 100
    ${manyStops}
    ann buys 1 stop 100 as a1
    dan buys 1 @ 100
    a1 is untriggered triggered
    ann amends a1 to 2               => refused order_not_amendable
    ann cancels a1                   => cancelled requested
    130 more stops wait
  `;

  page('and ask for nothing more when they are gone', rich)`
    bob sells 300 @ 100
    ${manyStops}
    dan buys 1 @ 100
    130 more stops wait
    ann cancels all
    0 more stops wait
    book: - | 100 x 199
  `;

  const chain = Array.from({ length: 101 }, (_, n) => `bob sells 1 @ ${101 + n}\nann buys 1 stop ${101 + n}`);

  page('of which the hundred-and-first is set off by the hundredth', rich)`
    ${chain.join('\n')}
    bob sells 1 @ 202
    dan buys 1 @ 101
    1 more stops wait
    last price is 201
    waiting stops run
    last price is 202
  `;

  const bounds = { triggersPerCommand: 1, triggeredWaiting: 2 };

  page('beyond those that may wait are collected as room comes free, the nearest price first', {
    ...rich,
    bounds,
  })`
    ann buys 1 stop 105 as a1
    cat buys 1 stop 104 as c1
    ann buys 1 stop 103 as a2
    ann buys 1 stop 102 as a3
    bob sells 1 @ 105
    bob sells 9 @ 110
    dan buys 1 @ 105
    2 more stops wait
    a2 is filled               -- 102 and 103 were collected, and the older ran; then there was room for 104
    a3 is untriggered triggered
    c1 is untriggered triggered
    a1 is untriggered
    waiting stops run
    c1 is filled
    a1 is untriggered triggered
    waiting stops run
    a1 is filled
    waiting stops run
    a3 is filled
    0 more stops wait
  `;

  page('are reached by a trade that later trades have left behind, though nobody had room for them', {
    ...rich,
    bounds,
  })`
    ann buys 1 stop 105 as a1
    ann buys 1 stop 105 as a2
    ann buys 1 stop 105 as a3
    ann buys 1 stop 105 as a4
    bob sells 1 @ 105
    bob sells 9 @ 106
    dan buys 1 @ 105
    a4 is untriggered
    cat sells 1 @ 104
    dan buys 1 @ 104
    last price is 106          -- what ran after it
    a3 is filled
    a4 is untriggered triggered
    waiting stops run
    a4 is filled
    0 more stops wait
  `;

  page('ask for nothing more when those that were reached are gone', { ...rich, bounds })`
    ann buys 1 stop 105 as a1
    ann buys 1 stop 105 as a2
    cat buys 1 stop 105 as c1
    cat buys 1 stop 105 as c2
    bob sells 9 @ 105
    dan buys 1 @ 105
    ann cancels all
    cat cancels all
    0 more stops wait
    waiting stops run
    dan buys 1 @ 105
    0 more stops wait
    market closes
  `;
});

describe('an account', () => {
  const limits = { openOrdersMax: 3, openStopsMax: 2 };

  page('cannot pile up stops that cost nothing to place', { ...plain, limits })`
    ann buys 1 stop 105 as a1
    ann sells 1 stop 95
    ann buys 1 stop 106                => refused too_many_open_orders
    ann buys 1 stop 106 @ 107          => refused too_many_open_orders
    cat buys 1 stop 106                => untriggered
    ann cancels a1
    ann buys 1 stop 106                => untriggered
  `;

  page('cannot pile up orders, stops among them, in one market', {
    ...plain,
    limits,
    others: [spot({ marketId: 'ETH-USD' })],
  })`
    ann buys 1 stop 105
    ann buys 1 @ 90
    ann sells 1 @ 110 as a1
    ann buys 1 @ 91                    => refused too_many_open_orders
    ann buys 1 stop 105                => refused too_many_open_orders
    ann buys 1 @ 90 in ETH-USD         => open
    bob sells 1 @ 92
    ann buys 1 @ 92 IOC                => filled
    bob sells 1 @ 92
    ann buys 1 at market               => filled
    ann cancels a1
    ann buys 1 @ 91                    => open
  `;

  page('has room again when its stops have run', { ...rich, limits })`
    ann buys 1 stop 105
    ann buys 1 stop 105
    bob sells 9 @ 105
    dan buys 1 @ 105
    ann buys 1 stop 106                => untriggered
    ann buys 1 stop 106                => untriggered
    ann buys 1 stop 106                => refused too_many_open_orders
  `;
});
