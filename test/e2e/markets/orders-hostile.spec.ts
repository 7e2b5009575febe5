import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json } from '../../support/caller.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';

/** Decimals that other services accept, but not in the contract's form. */
const EVIL_DECIMALS: readonly unknown[] = [
  '1e400',
  '1e3',
  '1E3',
  'NaN',
  'Infinity',
  '0x10',
  '0b1',
  ' 1',
  '1 ',
  '\t1',
  '1\n',
  '１',
  '−1',
  '-1',
  '-0',
  '+1',
  '00012',
  '01',
  '1_000',
  '1,000',
  '1.',
  '.5',
  '1..5',
  '1.5.5',
  '1.0000000000000000001',
  '9'.repeat(30),
  '1'.repeat(19),
  '١',
  '1\u200b',
  '',
  '1/2',
  '1n',
  'null',
  1,
  0.1,
  true,
  [],
  ['1'],
  {},
  { value: '1' },
];

describe('hostile order requests', () => {
  let app: TestApp;
  let demo: Caller;
  let operator: Caller;
  let before: Json;

  const VALID = limit('BTC-USD', 'buy', '100', '0.5');

  beforeAll(async () => {
    app = await startTestApp();
    [demo, operator] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'admin')]);
    before = await demo.balance('USD');
  });

  afterAll(async () => {
    expect(await demo.balance('USD')).toEqual(before);
    expect((await demo.get('/orders')).body.data).toEqual([]);
    await expectBalancedBooks(operator);
    await app.close();
  });

  describe.each(['price', 'size'])('as %s', (field) => {
    it.each(EVIL_DECIMALS.map((value) => [JSON.stringify(value).slice(0, 40), value]))(
      'refuses %s',
      async (_name, value) => {
        const reply = await demo.post('/orders', { ...VALID, [field]: value });
        expect(reply).toMatchObject({
          status: 400,
          body: {
            error: {
              code: 'validation_failed',
              details: expect.arrayContaining([expect.objectContaining({ field })]),
            },
          },
        });
      },
    );

    it.each(['NaN', 'Infinity', '-0', '01', '1e999', '0x1'])('refuses a bare %s', async (literal) => {
      const text = JSON.stringify({ ...VALID, [field]: '@' }).replace('"@"', literal);
      expect((await demo.send('POST', '/orders', text)).status).toBe(400);
    });
  });

  it.each<[string, Json]>([
    ['side', 'BUY'],
    ['side', null],
    ['type', 'LIMIT'],
    ['type', 'constructor'],
    ['time_in_force', 'gtc'],
    ['time_in_force', 'DAY'],
    ['expires_at', '2030-01-01T00:00:00Z'],
    ['expires_at', 'tomorrow'],
    ['stop_price', '1'],
    ['client_order_id', ''],
    ['client_order_id', 'a b'],
    ['client_order_id', 'é'],
    ['client_order_id', 'x'.repeat(65)],
    ['client_order_id', 7],
    ['post_only', 'true'],
    ['post_only', 1],
    ['reduce_only', {}],
    ['self_trade_prevention', 'none'],
    ['account_id', 5],
    ['market_id', ''],
    ['market_id', ['BTC-USD']],
    ['market_id', 'X'.repeat(65)],
  ])('refuses %s = %j', async (field, value) => {
    const reply = await demo.post('/orders', { ...VALID, [field]: value });
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
  });

  it.each(['market_id', 'side', 'type', 'size', 'price'])('misses %s', async (field) => {
    const reply = await demo.post('/orders', { ...VALID, [field]: undefined });
    expect(reply.status).toBe(400);
    expect(reply.body.error.details.map((detail: Json) => detail.field)).toContain(field);
  });

  it.each(['quantity', 'order_id', 'status', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'refuses the unknown field %j',
    async (field) => {
      expect((await demo.post('/orders', { ...VALID, [field]: 'x' })).status).toBe(400);
    },
  );

  it.each<[string, string]>([
    ['__proto__', JSON.stringify(VALID).replace('{', '{"__proto__":{"price":"1"},')],
    ['a NUL', JSON.stringify({ ...VALID, client_order_id: 'a\u0000b' })],
    ['a lone surrogate', JSON.stringify(VALID).replace('"buy"', '"\\ud800"')],
    ['a repeated member', JSON.stringify(VALID).replace('{', '{"size":"1",')],
    ['8,000 arrays', `{"market_id":${'['.repeat(8_000)}${']'.repeat(8_000)}}`],
    ['8,000 objects', `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`],
    ['half an object', '{"market_id":"BTC-USD"'],
    ['nothing', ''],
    ['null', 'null'],
    ['a text', '"order"'],
    ['an array', `[${JSON.stringify(VALID)}]`],
    ['a comment', `${JSON.stringify(VALID)} // buy`],
  ])('refuses a body with %s', async (_name, body) => {
    expect((await demo.send('POST', '/orders', body)).status).toBe(400);
  });

  it('refuses bytes that are no UTF-8', async () => {
    const body = new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
    expect((await demo.send('POST', '/orders', body)).status).toBe(400);
  });

  it('refuses bodies that are too large or of another type', async () => {
    const large = JSON.stringify({ ...VALID, market_id: 'X'.repeat(101 * 1024) });
    expect((await demo.send('POST', '/orders', large)).status).toBe(413);
    const form = await demo.send('POST', '/orders', 'side=buy', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect(form.status).toBe(415);
  });

  it.each(['', '"', '"open', 'x'.repeat(256), 'naïve'])('refuses the Idempotency-Key %j', async (key) => {
    const reply = await demo.post('/orders', { ...VALID, price: 'bad' }, { 'Idempotency-Key': key });
    expect(reply.status).toBe(400);
  });

  it.each(['GET', 'PATCH', 'DELETE'])('answers %s of ids that nobody gave out', async (method) => {
    const body = method === 'PATCH' ? '{"size":"1"}' : undefined;
    const ids = [
      'ord_ZZZZZZZZZZZ',
      'ord_00000000000',
      'ord_0000000000I',
      'ord_',
      'null',
      '-1',
      '1e9',
      "'--",
      '😀',
    ];
    for (const id of ids) {
      const reply = await demo.send(method, `/orders/${encodeURIComponent(id)}`, body);
      expect(reply).toMatchObject({ status: 404, body: { error: { code: 'order_not_found' } } });
    }
  });

  it('takes methods that a path has, and names them', async () => {
    const reply = await demo.send('PUT', '/orders', '{}');
    expect(reply.status).toBe(405);
    expect(reply.headers.get('allow')).toMatch(/POST/);
  });

  describe('credentials', () => {
    it.each<[string, string, Json]>([
      ['POST', '/orders', VALID],
      ['POST', '/orders/batch', { orders: [VALID] }],
      ['POST', '/orders/preview', VALID],
      ['GET', '/orders', undefined],
      ['GET', '/orders/ord_00000000001', undefined],
      ['PATCH', '/orders/ord_00000000001', { size: '1' }],
      ['DELETE', '/orders/ord_00000000001', undefined],
      ['DELETE', '/orders?all=true', undefined],
    ])('wants the scope markets:trade for %s %s', async (method, path, body) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const nobody = await new Caller(app.url).send(method, path, text);
      expect(nobody.status).toBe(401);
      expect(nobody.headers.get('www-authenticate')).toMatch(/^Bearer/);
      const forged = await new Caller(app.url, 'forged').send(method, path, text);
      expect(forged.status).toBe(401);
      const other = await (await callerFor(app.url, 'demo', 'chat:read')).send(method, path, text);
      expect(other).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
      const reader = await (await callerFor(app.url, 'demo', 'account:read')).send(method, path, text);
      expect(reader.status).toBe(method === 'GET' ? (path === '/orders' ? 200 : 404) : 403);
    });
  });
});
