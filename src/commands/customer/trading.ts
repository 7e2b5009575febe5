import { randomUUID } from 'node:crypto';
import { StartRefusal } from '../../kit/config/start-refusal.js';
import { customerCommand, sided } from './customer-command.js';

interface Book {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}
type Level = readonly [price: string, size: string, orders: number];

interface Trades {
  readonly data: readonly {
    readonly executed_at: string;
    readonly taker_side: string;
    readonly price: string;
    readonly size: string;
  }[];
}

interface Order {
  readonly order_id: string;
  readonly status: string;
  readonly remaining_size: string;
}

export const book = customerCommand({
  name: 'book',
  summary: 'shows the order book of a market',
  takes: 'MARKET',
  usage: `The best price is in the middle. Example: tradepost book BTC-USD --depth 5

  --depth N     so many prices a side (10)
`,
  options: { depth: { type: 'string', default: '10' } },
  async run(calls, [market], { depth }, out) {
    const found = await calls.get<Book>(
      `/markets/${encodeURIComponent(market!)}/orderbook`,
      new URLSearchParams({ depth }),
    );
    out.show(found, () => [...rowsOf('sell', found.asks).reverse(), ...rowsOf('buy', found.bids)].join('\n'));
  },
});

export const trades = customerCommand({
  name: 'trades',
  summary: 'shows the latest trades of a market',
  takes: 'MARKET',
  usage: `Newest first. Example: tradepost trades BTC-USD --limit 5

  --limit N     so many (20)
`,
  options: { limit: { type: 'string', default: '20' } },
  async run(calls, [market], { limit }, out) {
    const found = await calls.get<Trades>(
      `/markets/${encodeURIComponent(market!)}/trades`,
      new URLSearchParams({ limit }),
    );
    for (const trade of found.data)
      out.show(trade, () =>
        sided(
          trade.taker_side,
          `${trade.executed_at}  ${trade.price.padStart(14)}  ${trade.size.padStart(14)}`,
        ),
      );
  },
});

export const order = customerCommand({
  name: 'order',
  summary: 'places an order',
  takes: 'SIDE SIZE MARKET [PRICE]',
  usage: `A limit order, or without a price a market order. Example: tradepost order buy 0.1 BTC-USD 60000

  --post-only   never takes what rests
  --key TEXT    the Idempotency-Key: the same one places no second order
`,
  options: { 'post-only': { type: 'boolean' }, key: { type: 'string' } },
  async run(calls, [side, size, market, price], values, out) {
    if (side !== 'buy' && side !== 'sell') throw new StartRefusal('SIDE is buy or sell.');
    const placed = await calls.post<Order>(
      '/orders',
      {
        market_id: market,
        side,
        size,
        ...(price === undefined ? { type: 'market' } : { type: 'limit', price }),
        ...(values['post-only'] === true && { post_only: true }),
      },
      values.key ?? randomUUID(),
    );
    const { order_id: id, status, remaining_size: left } = placed;
    out.show(placed, () => sided(side, `${id}  ${status}, ${left} left`));
  },
});

function rowsOf(side: string, levels: readonly Level[]): string[] {
  return levels.map(([price, size, orders]) =>
    sided(side, `${price.padStart(14)}  ${size.padStart(14)}  ${String(orders).padStart(4)}`),
  );
}
