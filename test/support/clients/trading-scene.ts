import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { startTestApp, type TestApp } from '../app.js';
import { type Caller, callerFor, type Json, type Reply } from '../caller.js';
import { createMarket, expectBalancedBooks } from './markets-client.js';

/** A service with two traders and an operator, and a market for each test, so that books start empty. */
export class TradingScene {
  app!: TestApp;
  demo!: Caller;
  maker!: Caller;
  operator!: Caller;
  market!: string;

  /** `terms` are those of the markets beside what `createMarket` gives. */
  static set(name: string, terms: Json = {}): TradingScene {
    const scene = new TradingScene();
    let markets = 0;
    beforeAll(async () => {
      scene.app = await startTestApp();
      const { url } = scene.app;
      [scene.demo, scene.maker, scene.operator] = await Promise.all([
        callerFor(url, 'demo'),
        callerFor(url, 'maker'),
        callerFor(url, 'admin'),
      ]);
    });
    beforeEach(async () => {
      scene.market = await createMarket(scene.operator, `${name}-${++markets}`, terms);
    });
    afterAll(async () => {
      await expectBalancedBooks(scene.operator);
      await scene.app.close();
    });
    return scene;
  }

  /** The levels of one side of the book, best first. */
  async levels(side: 'bids' | 'asks'): Promise<Json[]> {
    return (await this.demo.get(`/markets/${this.market}/orderbook`)).body[side];
  }

  order(caller: Caller, { order_id }: Json): Promise<Json> {
    return caller.get(`/orders/${order_id}`).then(({ body }) => body);
  }
}

/** That a request was refused with this code. */
export async function expectRefusal(reply: Promise<Reply>, code: string, what?: unknown): Promise<void> {
  const { status, body } = await reply;
  expect(status, JSON.stringify(what ?? body)).toBeGreaterThanOrEqual(400);
  expect(body.error.code, JSON.stringify(what ?? body)).toBe(code);
}
