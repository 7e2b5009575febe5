import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/core.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';
import { Caller, tokenFor } from '../../support/caller.js';

describe.skipIf(isRedisMissing('replicas'))('two processes on one database', () => {
  let replicas: Replicas;
  let leading: Caller;
  let following: Caller;
  let accountId: string;

  beforeAll(async () => {
    replicas = await Replicas.start();
    const token = await tokenFor(replicas.other.url, 'demo');
    leading = new Caller(replicas.leader.url, token);
    following = leading.at(replicas.other.url);
    accountId = (await following.get('/accounts')).body.data[0].account_id;
  });

  afterAll(async () => {
    await replicas.stop();
  });

  const order = (price: string, terms: object = {}): object => ({
    account_id: accountId,
    market_id: 'BTC-USD',
    side: 'buy',
    type: 'limit',
    price,
    size: '0.01',
    ...terms,
  });

  const bestBid = async (caller: Caller): Promise<string | undefined> =>
    (await caller.get('/markets/BTC-USD/orderbook')).body.bids[0]?.[0];

  it('tell the same sequence of the ledger', async () => {
    await leading.place(order('99.00'));
    const { sequence } = (await leading.get('/time')).body;
    expect((await following.get('/time')).body).toEqual({ time: expect.any(String), sequence });
    expect((await following.get('/assets')).body).toEqual((await leading.get('/assets')).body);
  });

  it('are both ready', async () => {
    expect((await leading.get('/health/ready')).status).toBe(200);
    expect((await following.get('/health/ready')).status).toBe(200);
  });

  it('take orders, and show them at once in the other one', async () => {
    for (let cents = 11; cents < 20; cents++) {
      const [here, there] = cents % 2 === 0 ? [leading, following] : [following, leading];
      const { order_id } = await here.place(order(`100.${cents}`));
      expect(await bestBid(there)).toBe(`100.${cents}`);
      expect((await there.get(`/orders/${order_id}`)).body.status).toBe('open');
      expect((await there.get(`/accounts/${accountId}/balances`)).body).toEqual(
        (await here.get(`/accounts/${accountId}/balances`)).body,
      );
    }
  });

  it('run a command once, whichever of them is asked with its key', async () => {
    const terms = order('90', { client_order_id: 'once' });
    const first = await following.post('/orders', terms);
    const again = await leading.post('/orders', terms);
    expect(again.body.order_id).toBe(first.body.order_id);
    const key = { 'Idempotency-Key': 'the same' };
    const [a, b] = await Promise.all([
      leading.post('/orders', order('80'), key),
      following.post('/orders', order('80'), key),
    ]);
    expect(b.body.order_id).toBe(a.body.order_id);
  });

  it('refuse the same things in the same words', async () => {
    const tooMuch = order('100', { size: '1000000' });
    expect((await following.post('/orders', tooMuch)).body.error.code).toBe(
      (await leading.post('/orders', tooMuch)).body.error.code,
    );
    expect((await following.delete('/orders/ord_1')).status).toBe(404);
  });

  it('quote and preview in either', async () => {
    await leading.place(order('101', { side: 'buy', size: '1' }));
    const { status, body } = await following.post('/orders/preview', order('101', { size: '0.5' }));
    expect({ status, body }).toMatchObject({ status: 200 });
  });

  it('go on by themselves while Redis is away, and together once it is back', async () => {
    await replicas.redis.kill();
    expect((await leading.post('/orders', order('60'))).status).toBe(201);
    const refused = await following.post('/orders', order('60'));
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    // Committed data is read from the database, so no reader goes back in time.
    const { order_id } = await leading.place(order('61'));
    expect((await following.get(`/orders/${order_id}`)).status).toBe(200);
    await replicas.redis.revive();
    await eventually(
      async () => (await following.post('/orders', order('60'))).status === 201,
      'orders are taken again',
    );
  });

  it('answer every order that was in flight when Redis was killed, or say how to find out', async () => {
    const ids = Array.from({ length: 60 }, (_, i) => `flight-${i}`);
    const place = (id: string) => following.post('/orders', order('65', { client_order_id: id }));
    const asked = ids.map(place);
    await Promise.race(asked);
    await replicas.redis.kill();
    const answers = await Promise.all(asked);
    for (const { status, body, headers } of answers) {
      if (status === 201) continue;
      expect({ status, code: body.error.code }).toEqual({
        status: 503,
        code: expect.stringMatching(/^(?:temporarily_unavailable|outcome_unknown)$/) as string,
      });
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      if (body.error.code === 'outcome_unknown') expect(body.error.message).toContain('client_order_id');
    }
    await replicas.redis.revive();
    await eventually(async () => {
      const repeated = await Promise.all(ids.map(place));
      return repeated.every(({ status }) => status === 200 || status === 201);
    }, 'each is repeated under its id');
    for (const id of ids) {
      const { body } = await following.get(`/orders?client_order_id=${id}`);
      expect(body.data, id).toHaveLength(1);
    }
  });

  it('go on when the one that led stops, without a failed request', async () => {
    const answers: number[] = [];
    let isOver = false;
    const trade = async (): Promise<void> => {
      for (let i = 0; !isOver; i++) {
        const { status } = await following.post('/orders', order('70', { client_order_id: `on-${i}` }));
        answers.push(status);
      }
    };
    const trading = trade();
    await eventually(() => answers.length > 5, 'orders are taken');
    await replicas.leader.app.close();
    const before = answers.length;
    await eventually(() => answers.length > before + 5, 'orders are taken by the other one');
    isOver = true;
    await trading;
    expect(new Set(answers)).toEqual(new Set([201]));
    expect((await following.get('/health/ready')).status).toBe(200);
  });
});
