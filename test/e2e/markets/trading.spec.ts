import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountEvent, type ApiError, type Principal, Trading } from '../../../src/index.js';
import { Authenticator } from '../../../src/kit/security/authenticator.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { callerFor, tokenFor, type Caller } from '../../support/caller.js';
import { answered, newUser } from '../../support/clients/accounts-client.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

describe('Trading', () => {
  const market = 'TRADED-BY-PLUGINS';
  let app: TestApp;
  let trading: Trading;
  let operator: Caller;
  let demo: Caller;
  let caller: Principal;
  let stranger: Principal;

  const principalOf = async (token: string): Promise<Principal> =>
    (await app.app.nest.get(Authenticator, { strict: false }).authenticateBearer(token))!;
  const order = (side: 'buy' | 'sell', price: string, more = {}): never =>
    limit(market, side, price, '1', more) as never;

  beforeAll(async () => {
    app = await startTestApp();
    trading = app.app.nest.get(Trading);
    operator = await callerFor(app.url, 'admin');
    demo = await callerFor(app.url, 'demo');
    caller = await principalOf(await tokenFor(app.url, 'demo'));
    stranger = await principalOf(await tokenFor(app.url, 'maker'));
    await createMarket(operator, market);
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  it('places, amends, replaces and cancels as the routes do, and reads what they answer', async () => {
    const placed = await trading.place(caller, order('buy', '10', { client_order_id: 'p1' }));
    expect(placed).toMatchObject({ replayed: false, body: { status: 'open', client_order_id: 'p1' } });
    const id = placed.body.order_id;
    expect(await trading.order(caller, id)).toEqual((await demo.get(`/orders/${id}`)).body);
    expect(await trading.orderByClientOrderId(caller, 'p1')).toEqual(await trading.order(caller, id));
    expect(await trading.orders(caller, { market_id: market, status: 'open' })).toEqual(
      (await demo.get(`/orders?market_id=${market}&status=open`)).body,
    );
    expect(await trading.amend(caller, id, { size: '0.5', price: undefined })).toMatchObject({
      size: '0.5',
    });
    expect(await trading.preview(caller, order('buy', '11'))).toBeDefined();
    const { body } = await trading.replace(caller, id, {
      side: 'buy',
      type: 'limit',
      price: '12',
      size: '1',
    });
    expect(body.replaced.status).toBe('cancelled');
    expect(await trading.cancel(caller, body.order.order_id)).toMatchObject({ status: 'cancelled' });
    await expect(trading.cancel(caller, body.order.order_id)).rejects.toMatchObject({
      code: 'order_not_open',
    });
    const batch = await trading.placeBatch(caller, {
      orders: [order('buy', '9', { client_order_id: 'b1' }), { market_id: market }],
    });
    expect(batch.body.results.map(({ status }) => status)).toEqual([201, 400]);
    expect(await trading.cancelByClientOrderId(caller, 'b1')).toMatchObject({ status: 'cancelled' });
    await expect(trading.cancelByClientOrderId(caller, 'none')).rejects.toMatchObject({
      code: 'order_not_found',
    });
    await trading.place(caller, order('buy', '9'));
    expect((await trading.cancelAll(caller, { market_id: market })).cancelled).toHaveLength(1);
  });

  it('takes a repeat for one order', async () => {
    const options = { idempotencyKey: 'a key of a plugin' };
    const first = await trading.place(caller, order('buy', '8'), options);
    const again = await trading.place(caller, order('buy', '8'), options);
    expect(again).toEqual({ body: first.body, replayed: true });
    await expect(trading.place(caller, order('buy', '7'), options)).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    await expect(
      trading.place(caller, order('buy', '8'), { idempotencyKey: 'x'.repeat(256) }),
    ).rejects.toMatchObject({ code: 'invalid_idempotency_key' });
    await trading.cancel(caller, first.body.order_id);
  });

  it('answers accounts, balances and fills as the routes do', async () => {
    await trading.place(stranger, order('sell', '20'));
    await trading.place(caller, order('buy', '20'));
    expect(await trading.fills(caller, { market_id: market })).toEqual(
      (await demo.get(`/markets/${market}/fills`)).body,
    );
    expect(await trading.fills(caller, { limit: 1 })).toEqual(
      (await demo.get('/accounts/me/fills?limit=1')).body,
    );
    expect(await trading.accounts(caller)).toEqual((await demo.get('/accounts')).body);
    expect(await trading.balances(caller, 'me')).toEqual((await demo.get('/accounts/me/balances')).body);
  });

  it('lets nobody touch what is another’s', async () => {
    const { body } = await trading.place(caller, order('buy', '5', { client_order_id: 'mine' }));
    const notFound = { code: 'order_not_found', status: 404 };
    await expect(trading.order(stranger, body.order_id)).rejects.toMatchObject(notFound);
    await expect(trading.cancel(stranger, body.order_id)).rejects.toMatchObject(notFound);
    await expect(trading.amend(stranger, body.order_id, { price: '6' })).rejects.toMatchObject(notFound);
    await expect(trading.orderByClientOrderId(stranger, 'mine')).rejects.toMatchObject(notFound);
    const noAccount = { code: 'account_not_found', status: 404 };
    const account = body.account_id;
    const listener = { onEvent: () => undefined, onEnd: () => undefined };
    await expect(trading.cancelByClientOrderId(stranger, 'mine', account)).rejects.toMatchObject(noAccount);
    await expect(trading.balances(stranger, account)).rejects.toMatchObject(noAccount);
    await expect(trading.fills(stranger, { account_id: account })).rejects.toMatchObject(noAccount);
    await expect(trading.follow(stranger, account, listener)).rejects.toMatchObject(noAccount);
    await expect(trading.place(stranger, order('buy', '1', { account_id: account }))).rejects.toMatchObject(
      noAccount,
    );
    await trading.cancel(caller, body.order_id);
  });

  it('holds callers to their scopes and markets', async () => {
    const lacks = { code: 'insufficient_scope', status: 403 };
    const nobody = { ...caller, scopes: new Set<string>() };
    const reader = { ...caller, scopes: new Set(['account:read']) };
    const trader = { ...caller, scopes: new Set(['markets:trade']) };
    const listener = { onEvent: () => undefined, onEnd: () => undefined };
    for (const who of [nobody, reader]) {
      await expect(trading.place(who, order('buy', '1'))).rejects.toMatchObject(lacks);
      await expect(trading.placeBatch(who, { orders: [order('buy', '1')] })).rejects.toMatchObject(lacks);
      await expect(trading.preview(who, order('buy', '1'))).rejects.toMatchObject(lacks);
      await expect(trading.replace(who, 'ord_1', order('buy', '1'))).rejects.toMatchObject(lacks);
      await expect(trading.amend(who, 'ord_1', { price: '1' })).rejects.toMatchObject(lacks);
      await expect(trading.cancel(who, 'ord_1')).rejects.toMatchObject(lacks);
      await expect(trading.cancelByClientOrderId(who, 'x')).rejects.toMatchObject(lacks);
      await expect(trading.cancelAll(who, { all: true })).rejects.toMatchObject(lacks);
    }
    await expect(trading.order(nobody, 'ord_1')).rejects.toMatchObject(lacks);
    await expect(trading.orders(nobody)).rejects.toMatchObject(lacks);
    await expect(trading.orderByClientOrderId(nobody, 'x')).rejects.toMatchObject(lacks);
    await expect(trading.fills(nobody)).rejects.toMatchObject(lacks);
    for (const who of [nobody, trader]) {
      await expect(trading.accounts(who)).rejects.toMatchObject(lacks);
      await expect(trading.balances(who, 'me')).rejects.toMatchObject(lacks);
      await expect(trading.follow(who, 'me', listener)).rejects.toMatchObject(lacks);
    }
    const bound = { ...caller, allowedMarkets: ['BTC-USD'] };
    const elsewhere = { code: 'market_not_allowed', status: 403 };
    await expect(trading.place(bound, order('buy', '1'))).rejects.toMatchObject(elsewhere);
    await expect(trading.cancelAll(bound, { market_id: market })).rejects.toMatchObject(elsewhere);
  });

  it.each([undefined, null, [], 'text', 7, { surprise: 1 }, { __proto__: null, market_id: {} }])(
    'refuses the body %j',
    async (body) => {
      const invalid = { code: 'validation_failed', status: 400 };
      await expect(trading.place(caller, body as never)).rejects.toMatchObject(invalid);
      await expect(trading.placeBatch(caller, body as never)).rejects.toMatchObject(invalid);
      await expect(trading.cancelAll(caller, body as never)).rejects.toMatchObject(invalid);
    },
  );

  it('refuses ids that are no texts', async () => {
    const invalid = { code: 'validation_failed' };
    for (const id of [undefined, null, 7, {}, ['ord_1']] as never[]) {
      await expect(trading.order(caller, id)).rejects.toMatchObject(invalid);
      await expect(trading.cancel(caller, id)).rejects.toMatchObject(invalid);
      await expect(trading.cancelByClientOrderId(caller, id)).rejects.toMatchObject(invalid);
      await expect(trading.orderByClientOrderId(caller, id)).rejects.toMatchObject(invalid);
      await expect(trading.balances(caller, id)).rejects.toMatchObject(invalid);
    }
  });

  it('tells what is committed, in order, until the listener is removed', async () => {
    const events: AccountEvent[] = [];
    const stop = await trading.follow(caller, 'me', {
      onEvent: (event) => events.push(event),
      onEnd: (reason) => expect.unreachable(reason.message),
    });
    expect(events.map(({ type }) => type)).toEqual(['account.snapshot']);
    const { body } = await trading.place(caller, order('buy', '4'));
    await trading.cancel(caller, body.order_id);
    await eventually(() => expect(events.length).toBeGreaterThanOrEqual(3));
    const sequences = events.map(({ sequence }) => sequence!);
    expect(sequences).toEqual(sequences.map((_, i) => sequences[0]! + i));
    stop();
    stop();
    const seen = events.length;
    await trading.cancel(caller, (await trading.place(caller, order('buy', '4'))).body.order_id);
    expect(events).toHaveLength(seen);
  });

  it('goes on after the last event that a listener has', async () => {
    const hear = async (offset?: number): Promise<AccountEvent[]> => {
      const events: AccountEvent[] = [];
      const onEnd = (reason: ApiError): void => expect.unreachable(reason.message);
      const stop = await trading.follow(
        caller,
        'me',
        { onEvent: (event) => events.push(event), onEnd },
        offset,
      );
      stop();
      return events;
    };
    const { sequence } = (await hear()).at(-1)!;
    expect(await hear(sequence)).toEqual([]);
    const { body } = await trading.place(caller, order('buy', '4'));
    await trading.cancel(caller, body.order_id);
    expect(await hear(sequence)).toMatchObject([
      {
        type: 'account.update',
        sequence: sequence! + 2,
        data: { previous_sequence: sequence, orders: [{ order_id: body.order_id, status: 'cancelled' }] },
      },
    ]);
    expect(await hear(sequence! + 1_000)).toMatchObject([{ data: { reason: 'unknown_offset' } }]);
  });

  it('removes a listener that throws, and tells the others', async () => {
    let calls = 0;
    let heard = 0;
    const onEnd = (): void => undefined;
    await trading.follow(caller, 'me', {
      onEvent: () => {
        if (++calls === 2) throw new Error('a bug of a plugin');
      },
      onEnd,
    });
    const stop = await trading.follow(caller, 'me', { onEvent: () => heard++, onEnd });
    await trading.cancel(caller, (await trading.place(caller, order('buy', '4'))).body.order_id);
    await eventually(() => expect(heard).toBe(3));
    expect(calls).toBe(2);
    stop();
  });

  it('ends a listener with its key', async () => {
    const user = await newUser(app, 'follower');
    const { api_key_id: id, api_key: key } = await answered(
      user.post('/auth/api-keys', { name: 'Follower', scopes: ['account:read'] }),
      201,
    );
    const holder = await app.app.nest.get(Authenticator, { strict: false }).authenticateApiKey(key);
    const ends: ApiError[] = [];
    await trading.follow(holder!, 'me', {
      onEvent: () => undefined,
      onEnd: (reason) => ends.push(reason),
    });
    await answered(user.delete(`/auth/api-keys/${id}`), 204);
    await eventually(() => expect(ends.map(({ code }) => code)).toEqual(['invalid_token']));
  });

  it('places order lists, shows them, and cancels them', async () => {
    const { market_id } = order('buy', '1');
    const exits = [
      { market_id, side: 'buy', type: 'limit', price: '1', size: '0.01' },
      { market_id, side: 'buy', type: 'stop', stop_price: '900000', size: '0.01' },
    ];
    const { body, replayed } = await trading.placeList(caller, { type: 'oco', orders: exits } as never);
    expect({ replayed, status: body.status }).toEqual({ replayed: false, status: 'open' });
    expect(await trading.orderList(caller, body.order_list_id)).toEqual(body);
    expect((await trading.orderLists(caller, { limit: 1 })).data).toEqual([body]);
    await expect(trading.placeList(caller, { type: 'oco', orders: [] })).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect(await trading.cancelList(caller, body.order_list_id)).toMatchObject({ status: 'done' });
    await expect(trading.cancelList(caller, body.order_list_id)).rejects.toMatchObject({
      code: 'order_list_not_open',
    });
  });

  it('spends from the budget of orders that routes spend from', async () => {
    await trading.spend(caller);
    await expect(trading.spend(caller, 1_000_000)).rejects.toMatchObject({ code: 'rate_limited' });
    await trading.spend(caller);
  });
});
