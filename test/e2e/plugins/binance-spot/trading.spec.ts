import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import BinanceSpotPlugin from '../../../../plugins/binance-spot/index.js';
import { startTestApp, type TestApp } from '../../../support/app.js';
import { type Caller, callerFor, type Json } from '../../../support/caller.js';
import { fund, newUser } from '../../../support/clients/accounts-client.js';
import {
  type CcxtClient,
  type ClientKey,
  ccxtAt,
  keyOf,
  officialAt,
  signedRequest,
} from '../../../support/clients/binance-clients.js';
import { expectBalancedBooks, limit } from '../../../support/clients/markets-client.js';
import type { Spot } from '../../../tools/clients/index.js';
import { ORDER_IDS } from '../../../../src/modules/markets/names/ids.js';

describe('orders in the dialect of Binance Spot', () => {
  let app: TestApp;
  let operator: Caller;
  let maker: Caller;
  let trader: Caller;
  let key: ClientKey;
  let reader: ClientKey;
  let foreign: ClientKey;
  let ccxt: CcxtClient;
  let official: Spot;

  beforeAll(async () => {
    app = await startTestApp({
      plugins: [BinanceSpotPlugin],
      environment: { BINANCE_SPOT_WEIGHT_PER_MINUTE: '1000000' },
    });
    [operator, maker] = (await Promise.all(['admin', 'maker'].map((name) => callerFor(app.url, name)))) as [
      Caller,
      Caller,
    ];
    const [owner, other] = await Promise.all([newUser(app, 'trader'), newUser(app, 'other')]);
    trader = owner;
    const { account_id: accountId } = (await trader.get('/accounts')).body.data[0];
    await fund(app, accountId, '1000000');
    await fund(app, accountId, '10', 'BTC');
    [key, reader, foreign] = await Promise.all([keyOf(owner), keyOf(owner, ['account:read']), keyOf(other)]);
    ccxt = await ccxtAt(app.url, key);
    official = officialAt(app.url, key);
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await ccxt.close();
    await app.close();
  });

  const ask = (
    method: string,
    path: string,
    parameters: Record<string, string> = {},
    by: ClientKey = key,
  ): Promise<{ status: number; body: Json }> => signedRequest(app.url, method, path, parameters, by);
  const send = async (
    method: string,
    path: string,
    apiKey?: string,
  ): Promise<{ status: number; body: Json }> => {
    const response = await fetch(`${app.url}/binance/api/v3/${path}`, {
      method,
      headers: apiKey === undefined ? {} : { 'X-MBX-APIKEY': apiKey },
    });
    return { status: response.status, body: await response.json() };
  };
  const ours = async (number: number): Promise<Json> =>
    (await trader.get(`/orders/${ORDER_IDS.format(number)}`)).body;

  it('places, finds, lists and cancels the orders of ccxt', async () => {
    await maker.place(limit('BTC-USD', 'sell', '60000', '0.3'));
    const taken: Json = await ccxt.createOrder('BTC/USD', 'limit', 'buy', 0.4, 60_000);
    expect(taken).toMatchObject({ status: 'open', filled: 0.3, remaining: 0.1, cost: 18_000 });
    const order = await ours(Number(taken.id));
    expect(order).toMatchObject({ status: 'partially_filled', filled_size: '0.3', size: '0.4' });
    expect(order.client_order_id).toBe(taken.clientOrderId);
    expect(taken.trades).toMatchObject([{ price: 60_000, amount: 0.3 }]);
    expect(await ccxt.fetchOrder(taken.id, 'BTC/USD')).toMatchObject({ id: taken.id, status: 'open' });
    expect((await ccxt.fetchOpenOrders('BTC/USD')).map(({ id }) => id)).toEqual([taken.id]);
    const trades = await ccxt.fetchMyTrades('BTC/USD');
    expect(trades).toMatchObject([{ order: taken.id, price: 60_000, amount: 0.3, takerOrMaker: 'taker' }]);
    expect(await ccxt.fetchOrderTrades(taken.id, 'BTC/USD')).toHaveLength(1);
    expect(await ccxt.cancelOrder(taken.id, 'BTC/USD')).toMatchObject({ id: taken.id, status: 'canceled' });
    expect((await ours(Number(taken.id))).status).toBe('cancelled');
    expect((await ccxt.fetchOrders('BTC/USD')).at(-1)).toMatchObject({ id: taken.id, status: 'canceled' });
    const closed = await ccxt.fetchClosedOrders('BTC/USD');
    expect(closed.every(({ status }) => status === 'closed')).toBe(true);
    expect(closed.map(({ id }) => id)).not.toContain(taken.id);
  });

  it('takes a signature for one verb and path, so that who has seen a request cannot make another one of it', async () => {
    const order = await trader.post('/orders', limit('BTC-USD', 'buy', '100', '0.1'));
    const parameters = {
      symbol: 'BTCUSD',
      orderId: String(ORDER_IDS.parse(order.body.order_id)),
      timestamp: String(Date.now()),
    };
    expect((await ask('GET', 'order', parameters)).status).toBe(200);
    expect((await ask('GET', 'order', parameters)).status).toBe(200);
    expect(await ask('DELETE', 'order', parameters)).toMatchObject({ status: 400, body: { code: -1022 } });
    expect((await ours(Number(parameters.orderId))).status).toBe('open');
    const cancelled = { ...parameters, timestamp: String(Date.now() + 1) };
    expect((await ask('DELETE', 'order', cancelled)).status).toBe(200);
    expect((await ask('GET', 'order', cancelled)).body.code).toBe(-1022);
  });

  it('tells the balances of our own API', async () => {
    const balance: Json = await ccxt.fetchBalance();
    for (const { asset, available, held } of (await trader.get('/accounts/me/balances')).body.data) {
      expect(balance[asset], asset).toMatchObject({ free: Number(available), used: Number(held) });
    }
    const account = await (await official.restAPI.getAccount({ omitZeroBalances: true })).data();
    const fees = (await trader.get('/accounts/me/fees')).body.data as Json[];
    const highest = (name: string): string =>
      fees.map((fee) => fee[name] as string).sort((a, b) => Number(b) - Number(a))[0]!;
    const [maker, taker] = [highest('maker_fee_rate'), highest('taker_fee_rate')];
    expect(account).toMatchObject({
      canTrade: true,
      accountType: 'SPOT',
      takerCommission: Math.round(Number(taker) * 10_000),
      commissionRates: { maker, taker },
    });
    const own = fees.find(({ market_id: id }) => id === 'BTC-USD')!;
    expect((await ask('GET', 'account/commission', { symbol: 'BTCUSD' })).body).toMatchObject({
      symbol: 'BTCUSD',
      standardCommission: { maker: own.maker_fee_rate, taker: own.taker_fee_rate },
    });
    expect((await ask('GET', 'account/commission', { symbol: 'NOPE' })).body.code).toBe(-1121);
  });

  it('has all types of orders that we have', async () => {
    const placed = async (parameters: Record<string, string>): Promise<Json> => {
      const { status, body } = await ask('POST', 'order', { symbol: 'BTCUSD', ...parameters });
      expect(status, JSON.stringify(body)).toBe(200);
      return body;
    };
    const stop = { quantity: '0.1', stopPrice: '70000' };
    const made = [
      [
        { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.1', price: '50000' },
        { type: 'limit', post_only: false },
      ],
      [
        { side: 'BUY', type: 'LIMIT_MAKER', quantity: '0.1', price: '50000' },
        { type: 'limit', post_only: true },
      ],
      [
        { side: 'BUY', type: 'LIMIT', timeInForce: 'IOC', quantity: '0.1', price: '50000' },
        { time_in_force: 'IOC' },
      ],
      [
        { side: 'BUY', type: 'STOP_LOSS', ...stop },
        { type: 'stop', stop_price: '70000' },
      ],
      [
        { side: 'BUY', type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC', price: '70000', ...stop },
        { type: 'stop_limit', status: 'untriggered' },
      ],
      [
        { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '1', price: '50000', icebergQty: '0.1' },
        { display_size: '0.1' },
      ],
      [
        {
          side: 'BUY',
          type: 'LIMIT_MAKER',
          quantity: '0.1',
          price: '50000',
          selfTradePreventionMode: 'EXPIRE_BOTH',
        },
        { self_trade_prevention: 'cancel_both' },
      ],
    ] as const;
    for (const [sent, expected] of made) {
      const { orderId } = await placed(sent);
      expect(await ours(orderId), JSON.stringify(sent)).toMatchObject(expected);
      expect((await ask('GET', 'order', { symbol: 'BTCUSD', orderId: String(orderId) })).body).toMatchObject({
        type: sent.type,
        side: 'BUY',
        origQty: sent.quantity,
      });
    }
    await maker.place(limit('BTC-USD', 'sell', '60000', '1'));
    const bought = await placed({ side: 'BUY', type: 'MARKET', quoteOrderQty: '6000' });
    expect(bought).toMatchObject({ status: 'FILLED', executedQty: '0.1', cummulativeQuoteQty: '6000' });
    expect(bought.fills).toHaveLength(1);
    const open = (await ask('GET', 'openOrders', { symbol: 'BTCUSD' })).body as Json[];
    const cancelled = (await ask('DELETE', 'openOrders', { symbol: 'BTCUSD' })).body as Json[];
    expect(cancelled.map(({ orderId }) => orderId)).toEqual(open.map(({ orderId }) => orderId));
    expect((await ask('DELETE', 'openOrders', { symbol: 'BTCUSD' })).body).toMatchObject({ code: -2011 });
    expect((await ccxt.fetchOpenOrders('BTC/USD')).length).toBe(0);
  });

  it('serves the official client, and answers as much as it is asked for', async () => {
    const terms = {
      symbol: 'BTCUSD',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      price: 100,
      quantity: 1,
    } as never as {
      symbol: string;
    };
    const rest = official.restAPI as Json;
    for (const [newOrderRespType, field] of [
      ['ACK', undefined],
      ['RESULT', 'status'],
      ['FULL', 'fills'],
    ] as const) {
      const order = await (await rest.newOrder({ ...terms, newOrderRespType })).data();
      if (field === undefined) expect(order).not.toHaveProperty('status');
      else expect(order).toHaveProperty(field);
      await rest.deleteOrder({ symbol: 'BTCUSD', orderId: order.orderId });
    }
    expect(await (await rest.orderTest(terms)).data()).toEqual({});
    const tested = await (await rest.orderTest({ ...terms, computeCommissionRates: true })).data();
    const { standardCommission } = await (await rest.accountCommission({ symbol: 'BTCUSD' })).data();
    expect(tested).toEqual({
      standardCommissionForOrder: { maker: standardCommission.maker, taker: standardCommission.taker },
      specialCommissionForOrder: { maker: '0', taker: '0' },
      taxCommissionForOrder: { maker: '0', taker: '0' },
      discount: { enabledForAccount: false, enabledForSymbol: false, discountAsset: null, discount: '0' },
    });
    const order = await (await rest.newOrder({ ...terms, newClientOrderId: 'first' })).data();
    const replaced = await (
      await rest.orderCancelReplace({
        ...terms,
        price: 101,
        cancelReplaceMode: 'STOP_ON_FAILURE',
        cancelOrderId: order.orderId,
      })
    ).data();
    expect(replaced).toMatchObject({
      cancelResult: 'SUCCESS',
      newOrderResult: 'SUCCESS',
      cancelResponse: { orderId: order.orderId, status: 'CANCELED', origClientOrderId: 'first' },
      newOrderResponse: { price: '101', status: 'NEW' },
    });
    const again = await (await rest.getOrder({ symbol: 'BTCUSD', origClientOrderId: 'first' })).data();
    expect(again).toMatchObject({ orderId: order.orderId, status: 'CANCELED' });
    expect(await (await rest.allOrders({ symbol: 'BTCUSD', orderId: order.orderId })).data()).toHaveLength(2);
    expect(await (await rest.myTrades({ symbol: 'BTCUSD', limit: 1 })).data()).toHaveLength(1);
    await rest.deleteOpenOrders({ symbol: 'BTCUSD' });
    expect(await (await rest.getOpenOrders({})).data()).toEqual([]);
  });

  it('takes Ed25519 keys, and parameters in a form', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const { body } = await trader.post('/auth/api-keys', {
      name: 'ed',
      scopes: ['markets:trade'],
      signing: 'ed25519',
      public_key: publicKey.export({ type: 'spki', format: 'pem' }),
    });
    const query = 'symbol=BTCUSD&side=BUY&type=LIMIT';
    const form = `timeInForce=GTC&quantity=1&price=100&timestamp=${Date.now()}`;
    const signature = sign(null, Buffer.from(query + form), privateKey).toString('base64');
    const response = await fetch(`${app.url}/binance/api/v3/order?${query}`, {
      method: 'POST',
      headers: { 'X-MBX-APIKEY': body.api_key, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `${form}&signature=${encodeURIComponent(signature)}`,
    });
    expect(await response.json()).toMatchObject({ symbol: 'BTCUSD', status: 'NEW', price: '100' });
    await ask('DELETE', 'openOrders', { symbol: 'BTCUSD' });
  });

  it('lets nobody in who has not signed, or too long ago', async () => {
    const now = Date.now();
    const other = { ...key, secret: foreign.secret };
    expect(await send('GET', 'account')).toMatchObject({ status: 401, body: { code: -2014 } });
    expect(await ask('DELETE', 'openOrders', { symbol: 'BTCUSD' }, reader)).toMatchObject({
      status: 401,
      body: { code: -2015 },
    });
    expect((await send('GET', 'account', key.apiKey)).body.code).toBe(-1102);
    expect((await send('GET', `account?timestamp=${now}&signature=${'0'.repeat(64)}`)).body.code).toBe(-2014);
    expect(await ask('GET', 'account', {}, other)).toMatchObject({ status: 400, body: { code: -1022 } });
    expect((await ask('GET', 'account', {}, { ...key, apiKey: 'key_nobody' })).body.code).toBe(-1022);
    expect((await ask('GET', 'account', { timestamp: String(now - 6_000) })).body.code).toBe(-1021);
    expect((await ask('GET', 'account', { timestamp: String(now + 5_000) })).body.code).toBe(-1021);
    expect(
      (await ask('GET', 'account', { timestamp: String(now - 6_000), recvWindow: '60000' })).status,
    ).toBe(200);
    expect((await ask('GET', 'account', { recvWindow: '60001' })).body.code).toBe(-1131);
    const query = `timestamp=${Date.now()}`;
    const signature = createHmac('sha256', key.secret).update(query).digest('hex');
    const tampered = `account?${query}&omitZeroBalances=true&signature=${signature}`;
    expect((await send('GET', tampered, key.apiKey)).body.code).toBe(-1022);
    expect((await send('GET', `account?${query}&signature=zz`, key.apiKey)).body.code).toBe(-1100);
    // The plain header of our own API opens nothing.
    const plain = await fetch(`${app.url}/accounts/me/balances`, { headers: { api_key: key.apiKey } });
    expect(plain.status).toBe(401);
  });

  it('finds an order without an id of the client by ours', async () => {
    const terms = { symbol: 'BTCUSD', side: 'BUY', type: 'LIMIT_MAKER', quantity: '1', price: '90' };
    const { body: placed } = await ask('POST', 'order', terms);
    expect(placed.clientOrderId).toBe(ORDER_IDS.format(placed.orderId));
    const named = { symbol: 'BTCUSD', origClientOrderId: placed.clientOrderId };
    expect((await ask('GET', 'order', named)).body).toMatchObject({ orderId: placed.orderId });
    expect((await ask('GET', 'order', named, foreign)).body).toMatchObject({ code: -2013 });
    expect((await ask('DELETE', 'order', named)).body).toMatchObject({
      orderId: placed.orderId,
      status: 'CANCELED',
    });
  });

  it('keeps everybody to what is theirs', async () => {
    const { body: order } = await ask('POST', 'order', {
      symbol: 'BTCUSD',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      quantity: '1',
      price: '90',
      newClientOrderId: 'mine',
    });
    const named = { symbol: 'BTCUSD', orderId: String(order.orderId) };
    expect((await ask('GET', 'order', named, foreign)).body).toMatchObject({ code: -2013 });
    expect((await ask('DELETE', 'order', named, foreign)).body).toMatchObject({ code: -2011 });
    expect(
      (await ask('DELETE', 'order', { symbol: 'BTCUSD', origClientOrderId: 'mine' }, foreign)).body,
    ).toMatchObject({
      code: -2011,
    });
    expect((await ask('GET', 'order', { ...named, symbol: 'ETHUSD' })).body).toMatchObject({ code: -2013 });
    expect((await ask('DELETE', 'order', named, reader)).status).toBe(401);
    expect((await ask('GET', 'order', named, reader)).status).toBe(200);
    expect((await ours(order.orderId)).status).toBe('open');
    await ask('DELETE', 'order', named);
  });

  const base = {
    symbol: 'BTCUSD',
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    quantity: '1',
    price: '100',
  };
  it.each([
    [{ symbol: 'NOPE' }, -1121],
    [{ side: 'HOLD' }, -1117],
    [{ type: 'DANCE' }, -1116],
    [{ timeInForce: 'EVER' }, -1115],
    [{ type: 'TAKE_PROFIT' }, -2010],
    [{ trailingDelta: '100' }, -2010],
    [{ type: 'MARKET' }, -1106],
    [{ type: 'STOP_LOSS_LIMIT' }, -1102],
    [{ quantity: '-1' }, -1100],
    [{ quantity: '1e3' }, -1100],
    [{ quantity: '0' }, -1013],
    [{ quantity: 'NaN' }, -1100],
    [{ quantity: '0.0000000000000000001' }, -1111],
    [{ quantity: '99999999999999999999' }, -1111],
    [{ price: '100.001' }, -1013],
    [{ quantity: '0.000000001' }, -1013],
    [{ price: '1000000', quantity: '100000' }, -2010],
    [{ newClientOrderId: 'a b' }, -1100],
    [{ newClientOrderId: 'x'.repeat(37) }, -1100],
    [{ newOrderRespType: 'ALL' }, -1130],
    [{ account_id: 'acc_00000000001' }, -1104],
    [{ selfTradePreventionMode: 'NONE' }, -1130],
  ])('refuses %s', async (odd, code) => {
    const { status, body } = await ask('POST', 'order', { ...base, ...(odd as Record<string, string>) });
    expect({ status, code: body.code as number }, JSON.stringify(body)).toEqual({ status: 400, code });
    expect((await ask('GET', 'openOrders')).body).toEqual([]);
  });

  it('tells which part of a replacement failed', async () => {
    const { body: order } = await ask('POST', 'order', base);
    const replace = (terms: Record<string, string>): Promise<{ status: number; body: Json }> =>
      ask('POST', 'order/cancelReplace', { ...base, cancelReplaceMode: 'STOP_ON_FAILURE', ...terms });
    // Nothing to cancel, and nothing is placed.
    expect(await replace({ cancelOrderId: '99999999' })).toMatchObject({
      status: 400,
      body: {
        code: -2022,
        data: {
          cancelResult: 'FAILURE',
          newOrderResult: 'NOT_ATTEMPTED',
          cancelResponse: { code: -2011 },
          newOrderResponse: null,
        },
      },
    });
    expect((await ours(order.orderId)).status).toBe('open');
    // More than the account has shows when the old order has gone.
    const cancelOrderId = String(order.orderId);
    expect(await replace({ cancelOrderId, price: '900000', quantity: '100' })).toMatchObject({
      status: 409,
      body: {
        code: -2021,
        data: {
          cancelResult: 'SUCCESS',
          newOrderResult: 'FAILURE',
          cancelResponse: { orderId: order.orderId, status: 'CANCELED' },
          newOrderResponse: { code: -2010 },
        },
      },
    });
    expect((await ask('GET', 'openOrders')).body).toEqual([]);
  });

  it('places an order once, however often it is sent', async () => {
    const once = { ...base, newClientOrderId: 'once' };
    const replies = await Promise.all(Array.from({ length: 10 }, () => ask('POST', 'order', once)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of replies) {
      if (status !== 200) expect(body).toEqual({ code: -2010, msg: 'Duplicate order sent.' });
    }
    expect((await ask('GET', 'openOrders')).body).toHaveLength(1);
    await ask('DELETE', 'openOrders', { symbol: 'BTCUSD' });
  });

  it('refuses large and odd bodies without failing', async () => {
    const post = (body: string, type: string): Promise<Response> =>
      fetch(`${app.url}/binance/api/v3/order`, { method: 'POST', body, headers: { 'content-type': type } });
    const form = 'application/x-www-form-urlencoded';
    expect((await post(`a=${'x'.repeat(20_000)}`, form)).status).toBe(413);
    expect((await post('{"symbol":"BTCUSD"}', 'application/json')).status).toBe(415);
    expect((await post('symbol=BTCUSD&symbol=BTCUSD', form)).status).toBe(400);
  });
});
