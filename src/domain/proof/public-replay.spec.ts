import { describe, expect, it } from 'vitest';
import {
  figuresText,
  publicOrderText,
  PublicDigest,
  type PublicMarket,
  type PublicOrder,
  type PublicTrade,
} from './public-journal.js';
import { PublicReplay, type RowSpan } from './public-replay.js';

const MARKET = 'BTC-USD';
const [ANN, BOB, CAT] = ['a', 'b', 'c'].map((letter) => letter.repeat(16)) as [string, string, string];

/** A row of one market whose sequence goes from one hundred to the next: row 3 has 300 to 399. */
function row(number: number, market: Partial<PublicMarket>): [RowSpan, { markets: PublicMarket[] }] {
  const figures = { book_sequence: number, last_price_ticks: null, open_interest_lots: 0 };
  return [
    {
      first_sequence: number * 100,
      last_sequence: number * 100 + 99,
      time: `2026-11-26T10:00:0${number}.000Z`,
    },
    { markets: [{ market_id: MARKET, figures, orders: [], trades: [], ...market }] },
  ];
}

function order(changes: Partial<PublicOrder>): PublicOrder {
  return {
    order_id: 101,
    trader: ANN,
    side: 'sell',
    price_ticks: 50,
    size_lots: 10,
    queue_sequence: changes.order_id ?? 101,
    ...changes,
  };
}

function trade(changes: Partial<PublicTrade>): PublicTrade {
  return {
    trade_id: 210,
    price_ticks: 50,
    size_lots: 4,
    taker_side: 'buy',
    maker_order_id: 101,
    taker_order_id: 205,
    maker: ANN,
    taker: CAT,
    skips_own: false,
    book_sequence: 2,
    ...changes,
  };
}

const traded = (last_price_ticks: number | null, book_sequence = 2) => ({
  book_sequence,
  last_price_ticks,
  open_interest_lots: 0,
});

/** Ann sells 10 at 50, Bob behind her 5 at 50 and 5 at 52, Cat buys 3 at 48. */
function opened(): PublicReplay {
  const replay = new PublicReplay();
  const orders = [
    order({}),
    order({ order_id: 102, trader: BOB, size_lots: 5 }),
    order({ order_id: 103, trader: BOB, size_lots: 5, price_ticks: 52 }),
    order({ order_id: 104, trader: CAT, side: 'buy', size_lots: 3, price_ticks: 48 }),
  ];
  expect(replay.take(...row(1, { orders }))).toBeNull();
  return replay;
}

describe('a replay of the public journal', () => {
  it('follows orders and trades to the digest of the books', () => {
    const replay = opened();
    const left = order({ size_lots: 6 });
    expect(replay.take(...row(2, { figures: traded(50), orders: [left], trades: [trade({})] }))).toBeNull();
    expect(replay).toMatchObject({ trades: 1, openOrders: 4, marketIds: [MARKET] });
    const digest = new PublicDigest();
    for (const one of replay.ordersOf(MARKET)) digest.renew(null, publicOrderText(MARKET, one));
    digest.renew(null, figuresText(MARKET, traded(50)));
    expect(replay.stateHash).toBe(digest.hex);
    // Taken out, nothing is left but the figures.
    const gone = replay.ordersOf(MARKET).map((one) => ({ ...one, size_lots: 0 }));
    expect(
      replay.take(
        ...row(3, { figures: traded(50, 3), orders: gone.sort((a, b) => a.order_id - b.order_id) }),
      ),
    ).toBeNull();
    expect(replay.openOrders).toBe(0);
  });

  it.each<[string, Partial<PublicMarket>, string]>([
    [
      'a trade that passes over an older order at the same price',
      {
        figures: traded(50),
        orders: [order({ order_id: 102, trader: BOB, size_lots: 1 })],
        trades: [trade({ maker_order_id: 102, maker: BOB })],
      },
      'it was the turn of order 101',
    ],
    [
      'a trade that passes over a better price',
      {
        figures: traded(52),
        orders: [order({ order_id: 103, trader: BOB, size_lots: 1, price_ticks: 52 })],
        trades: [trade({ maker_order_id: 103, maker: BOB, price_ticks: 52 })],
      },
      'it was the turn of order 101',
    ],
    [
      'a trade at another price than that of its maker',
      { figures: traded(51), orders: [order({ size_lots: 6 })], trades: [trade({ price_ticks: 51 })] },
      'not at the price of its maker',
    ],
    [
      'a trade with an order that nothing is taken from',
      { figures: traded(50), orders: [], trades: [trade({})] },
      'leaves its maker as it was',
    ],
    [
      'a trade of more than the order becomes smaller',
      { figures: traded(50), orders: [order({ size_lots: 8 })], trades: [trade({})] },
      'traded more than it has become smaller',
    ],
    [
      'somebody who trades with themselves',
      { figures: traded(50), orders: [order({ size_lots: 6 })], trades: [trade({ taker: ANN })] },
      'trades with themselves',
    ],
    [
      'a trade under another name than its maker’s',
      { figures: traded(50), orders: [order({ size_lots: 6 })], trades: [trade({ maker: BOB })] },
      'not with the order that it names',
    ],
    [
      'a trade beyond the limit of its taker',
      {
        figures: traded(50),
        orders: [
          order({ size_lots: 0 }),
          order({ order_id: 205, trader: CAT, side: 'buy', price_ticks: 49, size_lots: 1 }),
        ],
        trades: [trade({ size_lots: 10 })],
      },
      'beyond the limit of order 205',
    ],
    [
      'a trade at a place of another row',
      { figures: traded(50), trades: [trade({ trade_id: 310 })] },
      'not in its place',
    ],
    [
      'an order that enters with a place from earlier',
      { orders: [order({ order_id: 207, trader: CAT, queue_sequence: 100 })] },
      'which the row does not give out',
    ],
    [
      'an order that grows and keeps its place',
      { orders: [order({ size_lots: 11 })] },
      'has grown and kept its place',
    ],
    [
      'an order that changes its price and keeps its place',
      { orders: [order({ price_ticks: 51 })] },
      'another price in the same place',
    ],
    ['an order that changes hands', { orders: [order({ trader: BOB })] }, 'has become another one'],
    [
      'an order that leaves and never came',
      { orders: [order({ order_id: 201, size_lots: 0 })] },
      'leaves a book in which it was not',
    ],
    [
      'a book that is left crossed',
      { orders: [order({ order_id: 205, trader: CAT, side: 'buy', price_ticks: 51, size_lots: 1 })] },
      'is left crossed',
    ],
    ['a last price without a trade', { figures: traded(49) }, 'not that of its last trade'],
    ['a book that goes back', { figures: traded(null, 0) }, 'goes back'],
    [
      'orders that are listed twice',
      { orders: [order({ size_lots: 9 }), order({ size_lots: 8 })] },
      'are not in order',
    ],
    ['what is no number', { orders: [order({ price_ticks: '50' as unknown as number })] }, 'no whole number'],
    ['what is no order', { orders: [null as unknown as PublicOrder] }, 'null'],
  ])('refuses %s', (_, market, fault) => {
    expect(opened().take(...row(2, market))).toContain(fault);
  });

  it('lets a bet pass over own orders, and over none of others', () => {
    const bet = trade({ maker_order_id: 102, maker: BOB, skips_own: true });
    const orders = [order({ order_id: 102, trader: BOB, size_lots: 1 })];
    const own = row(2, { figures: traded(50), orders, trades: [{ ...bet, taker: ANN }] });
    expect(opened().take(...own)).toBeNull();
    const others = row(2, { figures: traded(50), orders, trades: [bet] });
    expect(opened().take(...others)).toContain('it was the turn of order 101');
  });

  it('takes an order that joined the queue again for what it was before, too', () => {
    // An iceberg that showed 10 trades them all and shows 10 more behind Bob.
    const again = order({ queue_sequence: 210 });
    const filled = trade({ size_lots: 10 });
    expect(opened().take(...row(2, { figures: traded(50), orders: [again], trades: [filled] }))).toBeNull();
  });

  it('knows nothing of orders from before the first row, and takes them as they come', () => {
    const replay = new PublicReplay();
    const earlier = order({ order_id: 7, queue_sequence: 7 });
    expect(replay.take(...row(1, { orders: [earlier] }))).toBeNull();
    expect(replay.take(...row(2, { orders: [order({ order_id: 150, queue_sequence: 150 })] }))).toContain(
      'does not give out',
    );
  });
});
