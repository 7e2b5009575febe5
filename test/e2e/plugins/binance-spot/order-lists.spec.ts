import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import BinanceSpotPlugin from '../../../../plugins/binance-spot/index.js';
import { startTestApp, type TestApp } from '../../../support/app.js';
import { callerFor, type Caller, type Json } from '../../../support/caller.js';
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
import { StreamClient } from '../../../support/clients/stream-client.js';
import { ORDER_IDS, ORDER_LIST_IDS } from '../../../../src/modules/markets/names/ids.js';

describe('order lists in the dialect of Binance Spot', () => {
  let app: TestApp;
  let operator: Caller;
  let maker: Caller;
  let trader: Caller;
  let key: ClientKey;
  let foreign: ClientKey;
  let ccxt: CcxtClient;

  beforeAll(async () => {
    app = await startTestApp({ plugins: [BinanceSpotPlugin] });
    [operator, maker] = (await Promise.all(['admin', 'maker'].map((name) => callerFor(app.url, name)))) as [
      Caller,
      Caller,
    ];
    const [owner, other] = await Promise.all([newUser(app, 'trader'), newUser(app, 'other')]);
    trader = owner;
    const { account_id: accountId } = (await trader.get('/accounts')).body.data[0];
    await fund(app, accountId, '1000000');
    await fund(app, accountId, '10', 'BTC');
    [key, foreign] = await Promise.all([keyOf(owner), keyOf(other)]);
    ccxt = await ccxtAt(app.url, key);
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
  const sell = {
    symbol: 'BTCUSD',
    side: 'SELL',
    quantity: '0.1',
    aboveType: 'LIMIT_MAKER',
    abovePrice: '70000',
    belowType: 'STOP_LOSS_LIMIT',
    belowStopPrice: '50000',
    belowPrice: '49900',
    belowTimeInForce: 'GTC',
  };

  it('places, finds and cancels a pair, which is one of our own lists', async () => {
    const { status, body: list } = await ask('POST', 'orderList/oco', { ...sell, listClientOrderId: 'pair' });
    expect(status, JSON.stringify(list)).toBe(200);
    expect(list).toMatchObject({
      contingencyType: 'OCO',
      listStatusType: 'EXEC_STARTED',
      listOrderStatus: 'EXECUTING',
      listClientOrderId: 'pair',
      symbol: 'BTCUSD',
      orderReports: [
        { type: 'LIMIT_MAKER', price: '70000', status: 'NEW', orderListId: list.orderListId },
        { type: 'STOP_LOSS_LIMIT', price: '49900', stopPrice: '50000', orderListId: list.orderListId },
      ],
    });
    const ours = (await trader.get(`/order-lists/${ORDER_LIST_IDS.format(list.orderListId)}`)).body;
    expect(ours.orders.map(({ order_id: id }: Json) => id)).toEqual(
      list.orders.map(({ orderId }: Json) => ORDER_IDS.format(orderId)),
    );
    const byNumber = await ask('GET', 'orderList', { orderListId: String(list.orderListId) });
    const byName = await ask('GET', 'orderList', { origClientOrderId: 'pair' });
    expect(byNumber.body).toEqual(byName.body);
    const { orderReports: _, ...told } = list;
    expect(byName.body).toEqual(told);
    expect((await ask('GET', 'openOrderList')).body).toEqual([told]);
    const [leg] = list.orders;
    const order = await ask('GET', 'order', { symbol: 'BTCUSD', orderId: String(leg.orderId) });
    expect(order.body).toMatchObject({ orderListId: list.orderListId, clientOrderId: leg.clientOrderId });
    expect((await ask('GET', 'orderList', { origClientOrderId: 'pair' }, foreign)).body.code).toBe(-2013);
    const named = { symbol: 'BTCUSD', orderListId: String(list.orderListId) };
    expect((await ask('DELETE', 'orderList', named, foreign)).body.code).toBe(-2011);
    expect((await ask('DELETE', 'orderList', { ...named, symbol: 'ETHUSD' })).body.code).toBe(-2011);
    const { body: cancelled } = await ask('DELETE', 'orderList', named);
    expect(cancelled).toMatchObject({ listStatusType: 'ALL_DONE', listOrderStatus: 'ALL_DONE' });
    expect(cancelled.orderReports.map(({ status: state }: Json) => state)).toEqual(['CANCELED', 'CANCELED']);
    expect((await ask('DELETE', 'orderList', named)).body).toMatchObject({ code: -2011 });
    expect((await ask('GET', 'openOrderList')).body).toEqual([]);
    const again = await ask('POST', 'orderList/oco', { ...sell, listClientOrderId: 'pair' });
    expect(again.body).toEqual({ code: -2010, msg: 'Duplicate order sent.' });
  });

  it('serves ccxt and the client of Binance, in both forms', async () => {
    const terms = { symbol: 'BTCUSD', side: 'BUY', quantity: '0.1', price: '40000', stopPrice: '80000' };
    const client = ccxt as Json;
    const older = await client.privatePostOrderOco(terms);
    expect(older).toMatchObject({ contingencyType: 'OCO', orders: [{}, {}] });
    expect(older.orderReports.map(({ type }: Json) => type)).toEqual(['LIMIT_MAKER', 'STOP_LOSS']);
    const rest = officialAt(app.url, key).restAPI as Json;
    const newer = await (
      await rest.orderListOco({
        symbol: 'BTCUSD',
        side: 'BUY',
        quantity: 0.1,
        belowType: 'LIMIT_MAKER',
        belowPrice: 40_000,
        aboveType: 'STOP_LOSS',
        aboveStopPrice: 80_000,
      })
    ).data();
    const all = await client.privateGetAllOrderList({ fromId: older.orderListId });
    expect(all.map(({ orderListId }: Json) => Number(orderListId))).toEqual([
      Number(older.orderListId),
      newer.orderListId,
    ]);
    expect((await ask('GET', 'allOrderList', { limit: '1' })).body).toMatchObject([
      { orderListId: newer.orderListId },
    ]);
    expect((await ask('GET', 'openOrderList')).body).toHaveLength(2);
    await client.privateDeleteOrderList({ symbol: 'BTCUSD', orderListId: older.orderListId });
    const open = (await ask('DELETE', 'openOrders', { symbol: 'BTCUSD' })).body as Json[];
    expect(open.map(({ orderId }) => orderId)).toEqual(newer.orders.map(({ orderId }: Json) => orderId));
    expect((await ask('GET', 'openOrderList')).body).toEqual([]);
  });

  it('tells who follows that a list has begun and ended, and which order the other one expired by', async () => {
    const stream = await StreamClient.open(`${app.url.replace(/^http/, 'ws')}/binance/ws-api/v3`);
    const text = `apiKey=${key.apiKey}&timestamp=${Date.now()}`;
    const params = Object.fromEntries(new URLSearchParams(text));
    const signature = createHmac('sha256', key.secret).update(text).digest('hex');
    const method = 'userDataStream.subscribe.signature';
    await stream.request({ id: 1, method, params: { ...params, signature } });
    const { body: list } = await ask('POST', 'orderList/oco', { ...sell, listClientOrderId: 'followed' });
    const begun = await stream.first(({ event }) => event?.e === 'listStatus');
    expect(begun.event).toMatchObject({
      s: 'BTCUSD',
      g: list.orderListId,
      c: 'OCO',
      l: 'EXEC_STARTED',
      L: 'EXECUTING',
      C: 'followed',
      O: list.orders.map(({ orderId: i, clientOrderId: c }: Json) => ({ s: 'BTCUSD', i, c })),
    });
    await maker.place(limit('BTC-USD', 'buy', '70000', '0.1'));
    const ended = await stream.first(({ event }) => event?.l === 'ALL_DONE');
    expect(ended.event).toMatchObject({ g: list.orderListId, L: 'ALL_DONE' });
    const reports = stream.received.filter(({ event }) => event?.e === 'executionReport');
    expect(reports.every(({ event }) => event.g === list.orderListId)).toBe(true);
    expect(reports.map(({ event: { x, X } }) => `${x} ${X}`).sort()).toEqual([
      'EXPIRED EXPIRED',
      'NEW NEW',
      'NEW NEW',
      'TRADE FILLED',
    ]);
    stream.close();
  });

  it.each([
    [{ belowType: 'LIMIT_MAKER' }, -1168],
    [{ aboveType: 'STOP_LOSS', belowType: 'LIMIT_MAKER' }, -1166],
    [{ aboveType: 'STOP_LOSS' }, -1197],
    [{ side: 'BUY' }, -1165],
    [{ aboveType: 'LIMIT' }, -1158],
    [{ aboveType: 'TAKE_PROFIT' }, -2010],
    [{ belowTrailingDelta: '100' }, -2010],
    [{ belowType: 'STOP_LOSS' }, -1106],
    [{ aboveStopPrice: '1' }, -1106],
    [{ belowTimeInForce: 'IOC' }, -1014],
    [{ aboveIcebergQty: '0.01' }, -1014],
    [{ aboveClientOrderId: 'mine' }, -1020],
    [{ belowStopPrice: '70000' }, -2010],
    [{ quantity: '0' }, -1013],
    [{ quantity: '1000' }, -2010],
    [{ abovePrice: '70000.001' }, -1013],
    [{ listClientOrderId: 'a b' }, -1100],
    [{ newOrderRespType: 'ALL' }, -1130],
    [{ symbol: 'NOPE' }, -1121],
    [{ type: 'LIMIT' }, -1104],
  ])('refuses %s', async (odd, code) => {
    const { status, body } = await ask('POST', 'orderList/oco', {
      ...sell,
      ...(odd as Record<string, string>),
    });
    expect({ status, code: body.code as number }, JSON.stringify(body)).toEqual({ status: 400, code });
    expect((await ask('GET', 'openOrderList')).body).toEqual([]);
  });

  it.each([
    ['GET', 'orderList', {}, -1102],
    ['GET', 'orderList', { orderListId: '99999999' }, -2013],
    ['GET', 'orderList', { origClientOrderId: 'never' }, -2013],
    ['DELETE', 'orderList', { symbol: 'BTCUSD', listClientOrderId: 'never' }, -2011],
    ['DELETE', 'orderList', { symbol: 'BTCUSD' }, -1102],
    ['GET', 'allOrderList', { limit: '0' }, -1130],
  ])('refuses %s %s %s', async (method, path, parameters, code) => {
    expect((await ask(method, path, parameters)).body).toMatchObject({ code });
  });
});
