import { describe } from 'vitest';
import { spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

const plain = { market: spot() };

describe('a stop by the mark price', () => {
  page('sells where the best bid has fallen to it, whatever was traded', plain)`
    cat buys 1 @ 100 as c1
    cat buys 5 @ 95
    ann sells 1 stop 96 by-mark as a1  => untriggered
    bob sells 1 @ 120
    dan buys 1 @ 120
    a1 is untriggered
    cat cancels c1
    waiting stops run
    a1 is filled
    last price is 95
  `;

  page('buys where the best ask has risen to it', plain)`
    cat sells 1 @ 100 as c1
    cat sells 5 @ 104
    ann buys 1 stop 104 by-mark as a1
    cat cancels c1
    waiting stops run
    a1 is filled
  `;

  page('that is reached already runs at once', plain)`
    cat buys 1 @ 95
    ann sells 1 stop 96 by-mark        => filled, fills 1 @ 95
  `;

  page('waits while nobody would trade with it', plain)`
    ann sells 1 stop 96 by-mark as a1
    bob sells 1 @ 90
    dan buys 1 @ 90
    waiting stops run
    a1 is untriggered
    cat buys 1 @ 89
    waiting stops run
    a1 is filled
  `;

  page('is forgotten where the price has come back before it is looked at', plain)`
    cat buys 1 @ 100 as c1
    cat buys 1 @ 90
    ann sells 1 stop 95 by-mark as a1
    cat cancels c1
    dan buys 1 @ 97
    waiting stops run
    a1 is untriggered
  `;
});

describe('a trailing stop', () => {
  page('follows the highest price, and sells where it falls back', plain)`
    bob sells 1 @ 100
    dan buys 1 @ 100
    ann sells 1 trails 5 as a1         => untriggered, holds 0
    bob sells 1 @ 110
    dan buys 1 @ 110
    cat buys 1 @ 106
    bob sells 1 @ 106
    a1 is untriggered
    cat buys 2 @ 105
    bob sells 1 @ 105
    a1 is filled
    last price is 105
  `;

  page('follows the lowest price, and buys where it rises again', plain)`
    bob sells 1 @ 100
    dan buys 1 @ 100
    ann buys 1 trails 2% as a1
    cat buys 1 @ 90
    bob sells 1 @ 90
    bob sells 1 @ 91
    dan buys 1 @ 91
    a1 is untriggered
    bob sells 2 @ 92
    dan buys 1 @ 92
    a1 is filled
  `;

  page('does not fall back with a price that came before its best one', plain)`
    bob sells 1 @ 100
    dan buys 1 @ 100
    ann sells 1 trails 5 as a1
    bob sells 1 @ 96
    bob sells 1 @ 110
    dan buys 2 @ 110                   => filled, fills 1 @ 96 + 1 @ 110
    a1 is untriggered
  `;

  page('knows nothing of prices from before it', plain)`
    bob sells 1 @ 120
    dan buys 1 @ 120
    bob sells 1 @ 100
    dan buys 1 @ 100
    ann sells 1 trails 5 as a1
    cat buys 1 @ 99
    bob sells 1 @ 99
    a1 is untriggered
  `;

  page('keeps what it knows when later ones go', plain)`
    bob sells 1 @ 100
    dan buys 1 @ 100
    ann sells 1 trails 5 as a1
    ann sells 1 trails 30 as a2
    bob sells 1 @ 110
    dan buys 1 @ 110
    ann cancels a2
    cat buys 2 @ 105
    bob sells 1 @ 105
    a1 is filled
  `;

  page('needs a price to follow, and stands within the bounds of the market', plain)`
    ann sells 1 trails 5               => refused insufficient_liquidity
    bob sells 1 @ 100
    dan buys 1 @ 100
    ann sells 1 trails 0               => refused price_out_of_range
    ann sells 1 trails 100             => refused price_out_of_range
    ann sells 1 trails 99              => untriggered
    ann sells 1 trails 99.99%          => refused price_out_of_range
  `;

  page('can be amended in size, and ends with its market', plain)`
    bob sells 1 @ 100
    dan buys 1 @ 100
    ann sells 1 trails 5 as a1
    ann amends a1 to 2                 => untriggered, left 2
    market closes
    a1 is cancelled market_closed
  `;
});
