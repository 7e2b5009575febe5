import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { TestService } from '../../../src/testing/index.js';
import { Caller, callerFor, type Json, loggedIn } from '../../support/caller.js';
import { approvedKyc, submitKyc } from '../../support/clients/kyc-client.js';
import { addIban, BANKS, payOut } from '../../support/clients/payouts-client.js';
import { eventually } from '../../support/eventually.js';
import { isRedisMissing, TestRedis } from '../../support/redis.js';

const EXAMPLES = [
  'loyalty-points',
  'house-rules',
  'desk-limits',
  'group-fees',
  'api-bank',
  'acme-identity',
  'no-casino',
  'order-desks',
  'ticker-lines',
].map((name) => new URL(`../../../dist/examples/${name}/${name}.plugin.js`, import.meta.url));

const SECRET = `whsec_${Buffer.from('the identity service signs').toString('base64')}`;
const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '40000', size: '0.01' };
const KILLS = 6;
const ORDERS = 10;

/** The bank and the identity service of the house, as its plugins find them: each thing is done once, however often it is asked. */
class House {
  readonly payments = new Map<string, Json>();
  readonly cases = new Map<string, Json>();
  readonly credits: Json[] = [];
  readonly outcomes: Json[] = [];
  readonly server: Server = createServer((request, response) => {
    void this.answer(request.method!, request.url!, () => json(request)).then(
      (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
      () => response.writeHead(500).end(),
    );
  });

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(method: string, path: string, body: () => Promise<unknown>): Promise<unknown> {
    if (path === '/statement') return { credits: this.credits, payments: this.outcomes };
    const [, kind, id = ''] = path.split('/');
    const known = kind === 'payments' ? this.payments : this.cases;
    if (method !== 'PUT') throw new Error('no such route');
    known.set(id, await body());
    return { reference: `${kind}-${id}` };
  }
}

/** What a team writes in an afternoon, all of it in one service of two processes. */
describe.skipIf(isRedisMissing('the examples on two processes'))('the examples, on two processes', () => {
  const house = new House();
  let redis: TestRedis;
  let service: TestService;
  let urls: readonly string[];
  let operator: Caller;

  beforeAll(async () => {
    house.server.listen(0, '127.0.0.1');
    await once(house.server, 'listening');
    redis = await TestRedis.start();
    service = await TestService.start({
      plugins: EXAMPLES,
      settings: {
        ...(BANKS as Record<string, string>),
        REDIS_URL: redis.url,
        OUTGOING_INTERNAL_HOSTS: house.host,
        API_BANK_URL: `http://${house.host}`,
        ACME_IDENTITY_URL: `http://${house.host}`,
        ACME_IDENTITY_SECRET: SECRET,
      },
    });
    urls = await service.processes(2);
    operator = await callerFor(urls[0]!, 'admin');
  });
  afterAll(async () => {
    await service?.close();
    await redis?.stop();
    house.server.close();
  });

  it('two rules of the house see every order, by who its owner is, whichever process takes it', async () => {
    const demo = await callerFor(urls[0]!, 'demo');
    const large = { ...ORDER, price: '100', size: '20' };
    for (const url of urls)
      expect(await demo.at(url).post('/orders', large)).toMatchObject({
        status: 422,
        body: { error: { code: 'risk_refused', message: expect.stringContaining('POST /kyc') as string } },
      });
    const { body: accounts } = await demo.get('/accounts');
    const limitTo = async (max_size: string): Promise<void> => {
      const path = `/admin/desk-limits/${accounts.data[0].account_id}`;
      expect((await operator.send('PUT', path, JSON.stringify({ max_size }))).status).toBe(200);
    };
    await limitTo('0.05');
    // Of the other process, within a second.
    await eventually(async () =>
      expect(
        (await demo.at(urls[1]!).post('/orders', { ...ORDER, size: '0.06' })).body.error?.message,
      ).toContain('The desk may place orders of 0.05 at most.'),
    );
    expect((await demo.at(urls[1]!).place(ORDER)).status).toBe('open');
    await limitTo('1000');
  });

  it('a KYC service is asked once for each case, and calls back', async () => {
    const maker = await callerFor(urls[1]!, 'maker');
    const { kyc_id: id } = await submitKyc(maker);
    await eventually(() => house.cases.has(id), 'the identity service is asked');
    expect(house.cases.get(id)).toEqual({ name: 'Anna Maria Eriksson', born: '1974-08-12' });
    const call = (reference: string, result: string, secret = SECRET) => {
      const [at, body] = [new Date(), JSON.stringify({ reference, result })];
      return new Caller(urls[0]!).send('POST', '/kyc-callbacks/acme-identity', body, {
        'webhook-id': `msg-${result}`,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign(`msg-${result}`, at, body),
      });
    };
    const forged = `whsec_${Buffer.from('somebody else').toString('base64')}`;
    expect((await call(`cases-${id}`, 'clear', forged)).status).toBe(401);
    await eventually(async () => expect((await call(`cases-${id}`, 'fake')).status).toBeLessThan(300));
    await eventually(async () => {
      const { body } = await maker.get(`/kyc/${id}`);
      expect(body).toMatchObject({ status: 'rejected' });
      expect(JSON.stringify(body)).toContain('Send a photo of your real document.');
    });
  });

  it('fees and countries follow what is known of the owner', async () => {
    const bob = await loggedIn(urls[0]!, 'bob');
    const rates = async () =>
      (await bob.post('/orders/preview', { ...ORDER, price: '60000' })).body.fees ??
      (await bob.post('/orders/preview', { ...ORDER, price: '60000' })).body;
    const before = await rates();
    await approvedKyc(bob, operator);
    await eventually(async () => expect(await rates()).not.toEqual(before));
    const market = { market_id: 'RAIN', kind: 'event', quote_asset: 'USD', tick_size: '0.01', lot_size: '1' };
    expect((await operator.post('/admin/markets', market)).status).toBe(201);
    const bet = { market_id: 'RAIN', side: 'buy', type: 'limit', price: '0.5', size: '1' };
    await eventually(async () =>
      expect((await bob.at(urls[1]!).post('/orders', bet)).body.error?.message).toBe(
        'Event markets are closed to residents of PT.',
      ),
    );
    const alice = await loggedIn(urls[1]!, 'alice');
    expect((await alice.post('/orders', bet)).body.error?.code).not.toBe('risk_refused');
  });

  it('a bank with an API pays each payout once and brings deposits', async () => {
    const demo = await callerFor(urls[0]!, 'demo');
    const address = { line1: 'Invalidenstrasse 1', city: 'Berlin', postal_code: '10115', country: 'DE' };
    await approvedKyc(demo, operator, { address });
    const before = Number((await demo.balance('EUR')).total);
    const account = await addIban(demo);
    const payout = await payOut(demo, account, '25.00');
    await eventually(() => house.payments.size === 1, 'the bank gets the payment');
    expect([...house.payments.values()][0]).toMatchObject({
      id: payout.payout_id,
      amount: '25',
      currency: 'EUR',
    });
    house.outcomes.push({ id: payout.payout_id, outcome: 'paid', reason: null });
    await eventually(async () =>
      expect((await demo.get(`/payouts/${payout.payout_id}`)).body.status).toBe('paid'),
    );
    const reference = (await demo.get('/accounts')).body.data[0].account_id;
    house.credits.push({ id: 'C1', reference, asset: 'EUR', amount: '7.5' });
    await eventually(async () => expect(Number((await demo.balance('EUR')).total)).toBe(before - 25 + 7.5));
    expect(house.payments.size).toBe(1);
  });

  it('what people write is filtered, over both processes', async () => {
    const alice = await loggedIn(urls[1]!, 'alice');
    const room = await alice.post('/chat/rooms', { type: 'private', name: 'Afternoon' });
    expect(room.status).toBe(201);
    const say = (text: string, at = 0) =>
      alice.at(urls[at]!).post(`/chat/rooms/${room.body.room_id}/messages`, { text });
    expect((await say('Come to the casino')).body.error.code).toBe('no_casino_refused');
    expect((await say('My card is 4111 1111 1111 1111', 1)).body.text).toBe('My card is ****');
  });

  it('orders carry their desk and ticket, and a rule reads them', async () => {
    const maker = await callerFor(urls[1]!, 'maker');
    expect((await maker.post('/orders', { ...ORDER, order_desks_ticket: 7 })).body.error).toMatchObject({
      code: 'risk_refused',
      message: 'Name the desk of the ticket in order_desks_desk.',
    });
    const { order_id: id } = await maker.place({ ...ORDER, order_desks_ticket: 7, order_desks_desk: 'fx' });
    const listed = await maker.at(urls[0]!).get('/orders?order_desks_desk=fx');
    expect(listed.body.data).toMatchObject([{ order_id: id, order_desks_ticket: 7 }]);
  });

  it('a protocol of its own tells the best prices, of whatever process it is asked', async () => {
    const maker = await callerFor(urls[0]!, 'maker');
    for (const url of urls) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/ticker-lines`);
      const lines: string[] = [];
      socket.on('message', (data: Buffer) => lines.push(data.toString()));
      await once(socket, 'open');
      for (const line of ['sell everything', 'watch NOPE', 'watch ETH-USD', 'watch ETH-USD'])
        socket.send(line);
      await eventually(() => lines.some((line) => line.startsWith('ETH-USD ')), 'the best prices are told');
      const price = `1${urls.indexOf(url)}.5`;
      await maker.place({ ...ORDER, market_id: 'ETH-USD', side: 'sell', price: '99999', size: '0.01' });
      const { body: book } = await maker.get('/markets/ETH-USD/orderbook?depth=1');
      const better = String(Number(book.bids[0]?.[0] ?? price) + 0.5);
      await maker.place({ ...ORDER, market_id: 'ETH-USD', price: better, size: '0.01' });
      await eventually(
        () => lines.at(-1)!.startsWith(`ETH-USD ${better} x 0.01 / `),
        'the new price is told',
      );
      expect(lines.slice(0, 2)).toEqual([
        'error: send "watch MARKET"',
        expect.stringMatching(/^error: .*market/) as string,
      ]);
      socket.terminate();
    }
  });

  it(
    `points count each trade once, over ${KILLS} kills of either process`,
    { timeout: KILLS * 90_000 },
    async () => {
      const market = {
        market_id: 'POINT-USD',
        kind: 'event',
        quote_asset: 'USD',
        tick_size: '0.01',
        lot_size: '1',
      };
      await operator.post('/admin/markets', market);
      const side = { market_id: 'POINT-USD', type: 'limit', price: '0.5', size: '1' };
      for (let round = 0; round < KILLS; round++) {
        const callers = await Promise.all(['maker', 'demo'].map((name) => callerFor(urls[0]!, name)));
        const place = async (url: string): Promise<void> => {
          for (let at = 0; at < ORDERS; at++) {
            for (const [of, caller] of callers.entries()) {
              const order = { ...side, side: of === 0 ? 'sell' : 'buy' };
              // Sent again after a kill, it is the same order.
              const key = { 'idempotency-key': `${of}-${round}-${at}` };
              const { status, body } = await caller.at(url).post('/orders', order, key);
              expect([200, 201], JSON.stringify(body)).toContain(status);
            }
          }
        };
        const placing = place(urls[0]!).catch(() => undefined);
        await delay(Math.random() * 300);
        await service.kill(round % 2);
        await placing;
        urls = await service.processes(2);
        await eventually(() => place(urls[round % 2]!));
      }
      const reader = await callerFor(urls[0]!, 'demo');
      expect(await reader.walk('/markets/POINT-USD/trades', 200)).toHaveLength(KILLS * ORDERS);
      await eventually(async () => {
        const [points] = await service.query('SELECT sum(trades)::int AS trades FROM acme_points');
        expect(points).toEqual((await service.query('SELECT 2 * count(*)::int AS trades FROM trades'))[0]);
      });
    },
  );
});
