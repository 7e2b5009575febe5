import { describe } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';

const NOON_MS = Date.UTC(2026, 10, 1, 12);
const plain = { market: spot() };

describe('a market’s status', () => {
  page('halted: cancels only', plain)`
    ann buys 1 @ 100 as a1
    ann buys 1 @ 99 as a2
    market halts
    bob sells 1 @ 100           => refused market_not_open
    ann amends a1 to @ 101      => refused market_not_open
    ann cancels a1              => cancelled requested
    a2 is open
    market opens
    bob sells 1 @ 99            => filled
  `;

  page('halted: orders expire all the same', plain)`
    ann buys 1 @ 100 GTD 10 as a1
    market halts
    10 s pass
    a1 is expired
  `;

  page('closed: whatever rests or waits is cancelled', plain)`
    ann buys 1 @ 100 as a1
    ann sells 1 @ 101 as a2
    ann buys 1 stop 200 @ 200 as a3
    ann sells 1 stop 50 as a4
    market closes
    a1 is cancelled market_closed
    a2 is cancelled market_closed
    a3 is cancelled market_closed
    a4 is cancelled market_closed
    book: - | -
    ann has 1000 USD
    ann has 10 BTC
    bob buys 1 @ 100            => refused market_not_open
  `;

  page('the ways from one to another, and no others', plain)`
    market opens                => refused invalid_status_change
    market halts
    market halts                => refused invalid_status_change
    market closes
    market opens                => refused invalid_status_change
    market halts                => refused invalid_status_change
    market closes               => refused invalid_status_change
    market settles at 1         => refused invalid_status_change   -- spot markets have nothing to settle
    NOWHERE opens               => refused market_not_found
  `;

  page('a halted market may close', plain)`
    market halts
    market closes
    market is closed
  `;
});

describe('opening and closing times', () => {
  page('a market opens and closes when its time has come', {
    market: event({ opensAtMs: NOON_MS + 10_000, closesAtMs: NOON_MS + 20_000 }),
  })`
    market is scheduled
    ann buys 1 @ 0.50           => refused market_not_open
    10 s pass
    market is open
    ann buys 1 @ 0.50 as a1
    10 s pass
    market is closed
    a1 is cancelled market_closed
  `;

  page('nothing trades after the time to close, also before the market is told of it', {
    market: spot({ closesAtMs: NOON_MS + 10_000 }),
  })`
    bob sells 1 @ 100 as b1
    bob sells 1 @ 105 as b2
    cat buys 1 stop 103 @ 105 as c1
    ann buys 1 @ 99 as a1
    10 s pass unnoticed
    ann buys 1 @ 100            => refused market_not_open
    ann amends a1 to @ 100      => refused market_not_open
    waiting stops run
    b1 is open
    c1 is untriggered
  `;

  page('an operator may be faster', { market: spot({ opensAtMs: NOON_MS + 10_000 }) })`
    market opens
    market halts
    10 s pass
    market is halted
  `;

  page('one that was never open closes too', {
    market: spot({ opensAtMs: NOON_MS + 10_000, closesAtMs: NOON_MS + 20_000 }),
  })`
    60 s pass
    market is closed
  `;

  page('what falls due together happens in order of time', {
    market: spot({ closesAtMs: NOON_MS + 10_000 }),
  })`
    ann buys 1 @ 100 GTD 9 as a1
    ann buys 1 @ 100 GTD 10 as a2
    ann buys 1 @ 100 GTD 11 as a3
    60 s pass
    a1 is expired
    a2 is cancelled market_closed
    a3 is cancelled market_closed
  `;
});
