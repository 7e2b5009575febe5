import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import BinanceSpotPlugin from '../../../../plugins/binance-spot/index.js';
import { MarketMaker } from '../../../long/bots/market-maker.js';
import { Momentum } from '../../../long/bots/momentum.js';
import { timedFlow, type TimedEvent } from '../../../long/bots/timed-flow.js';
import { startTestApp, type TestApp } from '../../../support/app.js';
import { type Caller, callerFor, type Json } from '../../../support/caller.js';
import { fund, newUser } from '../../../support/clients/accounts-client.js';
import { type CcxtClient, ccxtAt, keyOf } from '../../../support/clients/binance-clients.js';
import { expectBalancedBooks, limit } from '../../../support/clients/markets-client.js';
import { rounds } from '../../../support/rounds.js';

/** A minute of the flow passes in a second. */
const SPEED = 60;
const REQUESTS_AT_ONCE = 32;
const SECONDS = rounds('BOT_SECONDS', 3, 60);
const SEED = Number(process.env['BOT_SEED'] ?? 1);
/** Of sums in floating point. */
const SUM_ERROR = 1e-6;
/** A recording of Bitstamp's order stream (.gz); without one the seed makes a flow. */
const RECORDING = process.env['BOT_RECORDING'];

describe('bots on ccxt', () => {
  let app: TestApp;
  let traders: Record<TimedEvent['order']['side'], Caller>;
  const owners: Caller[] = [];
  const clients: CcxtClient[] = [];

  beforeAll(async () => {
    app = await startTestApp({
      plugins: [BinanceSpotPlugin],
      environment: { BINANCE_SPOT_WEIGHT_PER_MINUTE: '1000000' },
    });
    const sides = { buy: await newUser(app, 'buyer'), sell: await newUser(app, 'seller') };
    traders = sides;
    const bots = await Promise.all(['maker-bot', 'momentum-bot'].map((name) => newUser(app, name)));
    for (const user of [...Object.values(sides), ...bots]) {
      const { account_id: accountId } = (await user.get('/accounts')).body.data[0];
      await fund(app, accountId, '1000000000');
      await fund(app, accountId, '100000', 'BTC');
    }
    owners.push(...bots);
    for (const bot of bots) clients.push(await ccxtAt(app.url, await keyOf(bot)));
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await app.close();
  });

  /** At the pace of the flow, with a few requests under way at once. */
  const replay = async (events: readonly TimedEvent[]): Promise<number> => {
    const placed = new Map<string, Promise<string | undefined>>();
    const underWay = new Set<Promise<unknown>>();
    const beganMs = performance.now();
    let trades = 0;
    const place = async ({ side, price, size }: TimedEvent['order']): Promise<string | undefined> => {
      const { status, body } = await traders[side].post('/orders', limit('BTC-USD', side, price, size));
      expect(status, JSON.stringify(body)).toBeLessThan(500);
      if (status !== 201) return undefined;
      trades += (body.fills as Json[]).length;
      return body.order_id as string;
    };
    const cancel = async ({ id, side }: TimedEvent['order']): Promise<void> => {
      const orderId = await placed.get(id);
      if (orderId !== undefined) await traders[side].delete(`/orders/${orderId}`);
    };
    for (const { atMs, kind, order } of events) {
      const aheadMs = atMs / SPEED - (performance.now() - beganMs);
      if (aheadMs > 1) await new Promise((resolve) => setTimeout(resolve, aheadMs));
      if (underWay.size >= REQUESTS_AT_ONCE) await Promise.race(underWay);
      const work: Promise<unknown> = kind === 'create' ? place(order) : cancel(order);
      if (kind === 'create') placed.set(order.id, work as Promise<string | undefined>);
      underWay.add(work);
      void work.finally(() => underWay.delete(work)).catch(() => undefined);
    }
    await Promise.all(underWay);
    return trades;
  };

  it(`trade for ${SECONDS} minutes of a market, and the books balance`, async () => {
    const events = timedFlow(RECORDING, SEED, SECONDS * SPEED * 1_000);
    const [maker, momentum] = [new MarketMaker(clients[0]!), new Momentum(clients[1]!)];
    let isOver = false;
    const running = Promise.all([maker.run(() => isOver), momentum.run(() => isOver)]);
    const began = performance.now();
    const trades = await replay(events).finally(() => {
      isOver = true;
    });
    const seconds = (performance.now() - began) / 1_000;
    await running;
    process.stdout.write(
      `bots: ${RECORDING === undefined ? `seed ${SEED}` : 'recording'}, ${events.length} events in ` +
        `${seconds.toFixed(1)} s, ${trades} trades, ${maker.quotes} quotes, ${momentum.orders} market orders\n`,
    );
    expect(maker.quotes).toBeGreaterThan(0);
    await expectHoldsOfOpenOrders();
    await maker.withdraw();
    await expectHoldsOfOpenOrders();
    await expectBalancedBooks(await callerFor(app.url, 'admin'));
  });

  /** In the base asset exactly; in the quote asset fees are held, too. */
  async function expectHoldsOfOpenOrders(): Promise<void> {
    for (const owner of owners) {
      const { body: orders } = await owner.get('/orders?status=open,partially_filled&limit=200');
      const { body: balances } = await owner.get('/accounts/me/balances');
      const held = (asset: string): number =>
        Number(balances.data.find((balance: Json) => balance.asset === asset).held);
      const open = (side: string): Json[] => orders.data.filter((order: Json) => order.side === side);
      const offered = open('sell').reduce((sum, order) => sum + Number(order.remaining_size), 0);
      const bid = open('buy').reduce(
        (sum, order) => sum + Number(order.price) * Number(order.remaining_size),
        0,
      );
      expect(held('BTC')).toBeCloseTo(offered, 8);
      expect(held('USD')).toBeGreaterThanOrEqual(bid - SUM_ERROR);
      expect(held('USD')).toBeLessThanOrEqual(bid * 1.01 + SUM_ERROR);
    }
  }
});
