/** Shared by the specs that trade: markets, small order builders, and the check after every spec. */
import { type ProvenPublicJournal, PublicJournal } from '../../../packages/verify/src/proofs.js';
import { expect } from 'vitest';
import type { Caller, Json } from '../caller.js';
import { eventually } from '../eventually.js';

export function limit(
  market: string,
  side: 'buy' | 'sell',
  price: string,
  size: string,
  more: Json = {},
): Json {
  return { market_id: market, side, type: 'limit', price, size, time_in_force: 'GTC', ...more };
}

export function marketOrder(market: string, side: 'buy' | 'sell', size: string, more: Json = {}): Json {
  return { market_id: market, side, type: 'market', size, ...more };
}

/**
 * Two callers place and cancel orders at random on both sides, some of them crossing, with many concurrent requests.
 */
export async function tradeAtRandom(
  callers: readonly [Caller, Caller],
  market: string,
  orders: number,
): Promise<void> {
  let seed = orders;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const placed: string[] = [];
  for (let done = 0; done < orders; done += 20) {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => {
        const caller = callers[random(2)]!;
        if (placed.length > 20 && random(3) === 0)
          return caller.delete(`/orders/${placed[random(placed.length)]}`);
        const side = random(2) === 0 ? 'buy' : 'sell';
        const price = 100 + (side === 'buy' ? -1 : 1) * (random(15) - 2);
        return caller.post('/orders', limit(market, side, String(price), `0.${1 + random(9)}`));
      }),
    );
    for (const { status, body } of replies) if (status === 201) placed.push(body.order_id);
  }
}

/** Makes a market for a spec, traded in USD, and returns its id. */
export async function createMarket(operator: Caller, marketId: string, more: Json = {}): Promise<string> {
  const reply = await operator.post('/admin/markets', {
    market_id: marketId,
    kind: 'spot',
    base_asset: 'BTC',
    quote_asset: 'USD',
    tick_size: '0.01',
    lot_size: '0.001',
    ...more,
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return marketId;
}

/** The books must balance after every spec, and anybody must be able to replay what was traded. */
export async function expectBalancedBooks(operator: Caller): Promise<void> {
  const { status, body } = await operator.get('/admin/ledger/check');
  expect(status).toBe(200);
  expect(body).toMatchObject({ balanced: true, problems: [] });
  await expectPublicJournal(operator);
}

/** The public part of the journal leads to the newest head. */
export async function expectPublicJournal(caller: Caller): Promise<ProvenPublicJournal> {
  const { body: keys } = await caller.get('/journal/keys');
  // Until the first head is signed, the service asks to come again (503).
  const head = await eventually(async (): Promise<Json> => {
    const { status, body } = await caller.get('/journal/head');
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  });
  const journal = new PublicJournal();
  while (journal.height < head.height) {
    const limit = Math.min(200, head.height - journal.height);
    const { body } = await caller.get(`/journal/public?from=${journal.height + 1}&limit=${limit}`);
    for (const row of body.data) expect(journal.take(row)).toBeNull();
  }
  const proven = journal.verify(head, keys);
  expect(proven).toMatchObject({ ok: true, rows: head.height });
  return proven as ProvenPublicJournal;
}
