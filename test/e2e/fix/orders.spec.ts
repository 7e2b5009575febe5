import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FixListener } from '../../../plugins/fix/connection/fix-listener.js';
import FixPlugin from '../../../plugins/fix/index.js';
import { Trading } from '../../../src/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { fund, newUser } from '../../support/clients/accounts-client.js';
import {
  FixClient,
  type FixFields,
  type FixKey,
  fixKeyOf,
  type ReceivedMessage,
  utcTime,
} from '../../support/clients/fix-client.js';
import { expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

describe('orders by FIX', () => {
  let app: TestApp;
  let port: number;
  let operator: Caller;
  let maker: Caller;
  let trader: Caller;
  let key: FixKey;
  let accountId: string;
  let client: FixClient;

  beforeAll(async () => {
    app = await startTestApp({ plugins: [FixPlugin], environment: { FIX_PORT: '0' } });
    port = app.app.nest.get(FixListener, { strict: false }).port!;
    [operator, maker] = (await Promise.all(['admin', 'maker'].map((name) => callerFor(app.url, name)))) as [
      Caller,
      Caller,
    ];
    trader = await newUser(app, 'trader');
    accountId = (await trader.get('/accounts')).body.data[0].account_id;
    await fund(app, accountId, '1000000');
    await fund(app, accountId, '10', 'BTC');
    key = await fixKeyOf(trader);
    client = await FixClient.connect(port, 'DESK', key);
    await client.logOn();
  });
  afterEach(async () => {
    await trader.delete('/orders?all=true');
    await maker.delete('/orders?all=true');
  });
  afterAll(async () => {
    client.close();
    await expectBalancedBooks(operator);
    await app.close();
  });

  const order = (clOrdId: string, more: FixFields = {}): FixFields => ({
    11: clOrdId,
    55: 'BTC-USD',
    54: 1,
    60: utcTime(),
    40: 2,
    38: '0.5',
    44: '50000',
    59: 1,
    ...more,
  });
  const own = async (clOrdId: string): Promise<Json> =>
    (await trader.get(`/orders?client_order_id=${clOrdId}`)).body.data[0];
  const reportOf = (clOrdId: string, more: FixFields): Promise<ReceivedMessage> =>
    client.expect({ 35: 8, 11: clOrdId, ...more });

  it('reports an order, each of its fills, and what is left when it is cancelled', async () => {
    client.send('D', order('life', { 44: '60000.00', 38: '0.30', 58: 'any text' }));
    const placed = await reportOf('life', { 150: 0 });
    const ours = await own('life');
    expect(placed).toMatchObject({
      37: ours.order_id,
      39: '0',
      1: accountId,
      55: 'BTC-USD',
      54: '1',
      38: '0.3',
      44: '60000',
      40: '2',
      59: '1',
      14: '0',
      151: '0.3',
      6: '0',
    });
    await maker.place(limit('BTC-USD', 'sell', '60000', '0.1'));
    const first = await reportOf('life', { 150: 'F' });
    expect(first).toMatchObject({
      39: '1',
      32: '0.1',
      31: '60000',
      14: '0.1',
      151: '0.2',
      6: '60000',
      851: '1',
    });
    await maker.place(limit('BTC-USD', 'sell', '60000', '0.05'));
    const second = await reportOf('life', { 150: 'F' });
    const { data: fills } = (await trader.get('/markets/BTC-USD/fills')).body;
    expect([second[17], first[17]]).toEqual(fills.map(({ fill_id: id }: Json) => id));
    expect(second).toMatchObject({ 14: '0.15', 527: fills[0].trade_id, 137: fills[0].fee, 138: 'USD' });

    client.send('F', { 11: 'life-cancel', 41: 'life', 55: 'BTC-USD', 54: 1, 60: utcTime(), 38: '0.3' });
    expect(await reportOf('life-cancel', { 150: 4 })).toMatchObject({
      37: ours.order_id,
      41: 'life',
      39: '4',
      14: '0.15',
      151: '0',
    });
  });

  it('reports an order that takes several others, with the running average', async () => {
    await maker.place(limit('BTC-USD', 'sell', '100', '1'));
    await maker.place(limit('BTC-USD', 'sell', '200', '3'));
    client.send('D', order('taker', { 44: '200', 38: '4' }));
    await reportOf('taker', { 150: 0 });
    expect(await reportOf('taker', { 150: 'F' })).toMatchObject({
      39: '1',
      14: '1',
      151: '3',
      6: '100',
      851: '2',
    });
    expect(await reportOf('taker', { 150: 'F' })).toMatchObject({ 39: '2', 14: '4', 151: '0', 6: '175' });
  });

  it('replaces an order by one with its own OrderID, without what was filled', async () => {
    client.send('D', order('old', { 44: '100', 38: '2' }));
    const { 37: oldId } = await reportOf('old', { 150: 0 });
    await maker.place(limit('BTC-USD', 'sell', '100', '0.5'));
    await reportOf('old', { 150: 'F' });
    client.send('G', order('new', { 41: 'old', 44: '110', 38: '3', 111: '1' }));
    const replaced = await reportOf('new', { 150: 5 });
    expect(replaced).toMatchObject({
      41: 'old',
      39: '0',
      38: '2.5',
      44: '110',
      14: '0',
      151: '2.5',
      111: '1',
    });
    expect(replaced[37]).not.toBe(oldId);
    expect(await own('old')).toMatchObject({ status: 'cancelled', status_reason: 'replaced' });
    // Nothing else is said of the old order.
    client.send('H', { 11: 'new', 55: 'BTC-USD', 54: 1, 790: 'how' });
    const next = await client.nextMessage();
    expect(next).toMatchObject({ 35: '8', 150: 'I', 37: replaced[37], 39: '0', 790: 'how' });
  });

  it('takes all types, times and instructions that the exchange has', async () => {
    await maker.place(limit('BTC-USD', 'sell', '70000', '1'));
    await maker.place(limit('BTC-USD', 'buy', '60000', '1'));
    const terms: [string, FixFields, Json][] = [
      ['day', { 59: 0 }, { time_in_force: 'GTC' }],
      ['maker-only', { 18: '6' }, { post_only: true }],
      ['iceberg', { 111: '0.1' }, { display_size: '0.1' }],
      [
        'until',
        { 59: 6, 126: '20300101-00:00:00' },
        { time_in_force: 'GTD', expires_at: '2030-01-01T00:00:00.000Z' },
      ],
      ['stop', { 40: 3, 99: '90000', 44: '' }, { type: 'stop', stop_price: '90000' }],
      ['stop-limit', { 40: 4, 99: '90000', 44: '91000' }, { type: 'stop_limit', price: '91000' }],
      ['market', { 40: 1, 38: '0.1', 44: '' }, { type: 'market', filled_size: '0.1' }],
      ['spend', { 40: 1, 152: '7000', 38: '', 44: '' }, { type: 'market', quote_size: '7000' }],
    ];
    for (const [name, fields, expected] of terms) {
      const all = Object.entries(order(name, { ...fields }));
      const { 59: _, ...withoutTime } = Object.fromEntries(all.filter(([, value]) => value !== '')) as Record<
        number,
        string
      >;
      client.send(
        'D',
        fields[40] === undefined || fields[59] !== undefined ? { ...withoutTime, 59: _! } : withoutTime,
      );
      await reportOf(name, { 150: 0 });
      expect(await own(name), name).toMatchObject(expected);
    }
    client.send('D', order('now', { 59: 3, 44: '1' }));
    expect(await reportOf('now', { 150: 4 })).toMatchObject({
      39: '4',
      151: '0',
      58: expect.any(String) as string,
    });
  });

  it('never fills more than OrderQty in all, where a fill comes between the request and the replacement', async () => {
    client.send('D', order('race', { 44: '100', 38: '2' }));
    const { 37: oldId } = await reportOf('race', { 150: 0 });
    const trading = app.app.nest.get(Trading, { strict: false });
    const { replace } = trading;
    const spy = vi.spyOn(trading, 'replace').mockImplementationOnce(async (...request) => {
      await maker.place(limit('BTC-USD', 'sell', '100', '0.5'));
      return replace.apply(trading, request);
    });
    client.send('G', order('race-2', { 41: 'race', 44: '110', 38: '2' }));
    expect(await reportOf('race-2', { 150: 5 })).toMatchObject({ 41: 'race', 38: '1.5', 151: '1.5' });
    spy.mockImplementationOnce(async (...request) => {
      await maker.place(limit('BTC-USD', 'sell', '110', '0.5'));
      return replace.apply(trading, request);
    });
    client.send('G', order('race-3', { 41: 'race-2', 44: '120', 38: '0.5' }));
    await client.expect({ 35: 9, 11: 'race-3', 39: 1, 434: 2, 102: 0 });
    await maker.place(limit('BTC-USD', 'sell', '110', '5'));
    spy.mockRestore();
    const filled = await Promise.all(
      [oldId!, (await own('race-2')).order_id].map((id) => trader.get(`/orders/${id}`)),
    );
    expect(filled.map(({ body }) => body.filled_size)).toEqual(['0.5', '1.5']);
  });

  it.each<[string, FixFields, FixFields]>([
    ['an unknown market', { 55: 'NOPE' }, { 103: 1 }],
    ['more than there is money for', { 38: '1000', 44: '50000' }, { 103: 3 }],
    ['a size off the lots', { 38: '0.000000001' }, { 103: 13 }],
    ['another account', { 1: 'acc_00000000001' }, { 103: 15 }],
    ['a type that is not to be had', { 40: 'P' }, { 103: 11 }],
    ['a day that is not to be had', { 59: 2 }, { 103: 11 }],
    ['an instruction that is not to be had', { 18: '6 G' }, { 103: 11 }],
    ['a ClOrdID with spaces', { 11: 'a b' }, { 103: 99 }],
    ['a limit order without a limit', { 40: 3 }, { 103: 99 }],
  ])('refuses %s', async (name, fields, expected) => {
    const clOrdId = String(fields[11] ?? `bad-${name.replaceAll(' ', '-')}`);
    client.send('D', order(clOrdId, fields));
    const refusal = await reportOf(clOrdId, { 150: 8, 39: 8, 37: 'NONE', ...expected });
    expect(refusal[58]).toEqual(expect.any(String));
  });

  it('refuses a ClOrdID that was used, and answers a repeat of its order with its status', async () => {
    client.send('D', order('once'));
    const { 37: orderId } = await reportOf('once', { 150: 0 });
    client.send('D', order('once'));
    await reportOf('once', { 150: 8, 103: 6 });
    client.send('D', { 97: 'Y', ...order('once') });
    await reportOf('once', { 150: 'I', 37: orderId! });
    client.send('D', order('once', { 44: '49000' }));
    await reportOf('once', { 150: 8, 103: 6 });
  });

  it('refuses to cancel or replace what has ended, or never was', async () => {
    client.send('D', order('gone'));
    await reportOf('gone', { 150: 0 });
    client.send('F', { 11: 'gone-1', 41: 'gone', 55: 'BTC-USD', 54: 1, 60: utcTime() });
    await reportOf('gone-1', { 150: 4 });
    const refused = (clOrdId: string, more: FixFields): Promise<ReceivedMessage> =>
      client.expect({ 35: 9, 11: clOrdId, ...more });
    client.send('F', { 11: 'gone-2', 41: 'gone', 55: 'BTC-USD', 54: 1, 60: utcTime() });
    await refused('gone-2', { 39: 4, 434: 1, 102: 0 });
    client.send('G', order('gone-3', { 41: 'gone' }));
    await refused('gone-3', { 39: 4, 434: 2, 102: 0 });
    client.send('F', { 11: 'gone-4', 41: 'never', 55: 'BTC-USD', 54: 1, 60: utcTime() });
    await refused('gone-4', { 37: 'NONE', 39: 8, 434: 1, 102: 1 });
    client.send('D', order('side'));
    await reportOf('side', { 150: 0 });
    client.send('G', order('side-2', { 41: 'side', 54: 2 }));
    await refused('side-2', { 39: 0, 434: 2, 102: 99 });
    client.send('G', order('once', { 41: 'side' }));
    await refused('once', { 39: 0, 434: 2, 102: 6 });
    client.send('H', { 11: 'never', 55: 'BTC-USD', 54: 1 });
    await reportOf('never', { 150: 'I', 39: 8, 103: 5 });
  });

  it('cancels all orders, or those of one market', async () => {
    for (const name of ['mass-1', 'mass-2']) {
      client.send('D', order(name));
      await reportOf(name, { 150: 0 });
    }
    client.send('q', { 11: 'sweep', 530: 1, 55: 'ETH-USD', 60: utcTime() });
    await client.expect({ 35: 'r', 11: 'sweep', 531: 1, 533: 0 });
    client.send('q', { 11: 'sweep', 530: 7, 60: utcTime() });
    await client.expect({ 35: 'r', 11: 'sweep', 531: 7, 533: 2 });
    await eventually(() =>
      expect(client.received.filter((message) => message[150] === '4').map((message) => message[11])).toEqual(
        expect.arrayContaining(['mass-1', 'mass-2']),
      ),
    );
    client.send('q', { 11: 'sweep', 530: 5, 60: utcTime() });
    await client.expect({ 35: 'r', 531: 0, 532: 99 });
  });

  it('reports orders that came another way, and what others change', async () => {
    const { order_id: id } = await trader.place(limit('BTC-USD', 'buy', '40000', '0.2'));
    await client.expect({ 35: 8, 37: id, 150: 0 });
    await trader.patch(`/orders/${id}`, { size: '0.1' });
    await client.expect({ 35: 8, 37: id, 150: 'D', 378: 99, 38: '0.1', 39: 0 });
    client.send('F', { 11: 'by-id', 41: 'any', 37: id, 55: 'BTC-USD', 54: 1, 60: utcTime() });
    await client.expect({ 35: 8, 37: id, 150: 4, 11: 'by-id' });
  });

  it('holds a key to its scopes', async () => {
    const reader = await FixClient.connect(port, 'READER', await fixKeyOf(trader, ['account:read']));
    await reader.logOn();
    reader.send('D', order('scoped'));
    await reader.expect({ 35: 8, 11: 'scoped', 150: 8, 103: 99 });
    reader.close();
    const blind = await FixClient.connect(port, 'BLIND', await fixKeyOf(trader, ['markets:trade']));
    blind.sendLogOn();
    await blind.expect({ 35: 5 });
    await blind.disconnected();
  });

  it('tells the same orders, fills and times as our own API', async () => {
    const { data } = (await trader.get('/markets/BTC-USD/fills?limit=200')).body;
    const told = client.received.filter((message) => message[150] === 'F').map((message) => message[17]);
    expect(new Set(told)).toEqual(new Set(data.map(({ fill_id: id }: Json) => id)));
    expect(told).toHaveLength(data.length);
  });
});
