import { EventSource } from 'eventsource';
import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json, Reply } from '../../support/caller.js';
import { expectBalancedBooks, limit, marketOrder } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';
import { basic, clientOf, logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';

const MARKET = 'BTC-USD';

let service: TestApp;
let anyone: UserCaller;
let operator: UserCaller;
/** A user who is an operator too. */
let chief: UserCaller;
const sockets: Socket[] = [];
const streams: EventSource[] = [];

beforeAll(async () => {
  service = await startTestApp({ rateLimits: 'off' });
  anyone = new UserCaller(service.url);
  operator = await clientOf(service, 'admin');
  chief = await logIn(service, 'admin');
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
  for (const stream of streams.splice(0)) stream.close();
});
afterAll(async () => {
  await expectBalancedBooks(operator);
  await service.close();
});

let made = 0;

interface Victim {
  readonly username: string;
  readonly session: UserCaller;
  readonly token: string;
}

async function newUser(more: { readonly isOperator?: boolean } = {}): Promise<Victim> {
  const username = `locked-${++made}`;
  const password = `${username}-password`;
  expect((await operator.post('/user', { username, password })).status).toBe(200);
  if (more.isOperator) expect((await operator.post('/admin/operators', { username })).status).toBe(201);
  const token = (await anyone.tryLogIn(username, password)).body as string;
  return { username, token, session: anyone.withBearer(token) };
}

const lock = (username: string, by = operator): Promise<Reply> =>
  by.post(`/admin/users/${username}/lock`, { reason: 'A stolen phone was reported.' });
const unlock = (username: string, by = operator): Promise<Reply> =>
  by.post(`/admin/users/${username}/unlock`, {});

/** A socket, and the events of its end. */
async function socketOf(auth: Json): Promise<{ socket: Socket; end: Promise<Json> }> {
  const socket = io(`${service.url}/account`, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth,
  });
  sockets.push(socket);
  await new Promise<void>((resolve, reject) => {
    socket.on('connect', resolve);
    socket.on('connect_error', reject);
  });
  let error: Json;
  socket.on('error', (envelope) => {
    error = envelope.error;
  });
  const end = new Promise((resolve) => socket.on('disconnect', () => resolve(error)));
  return { socket, end };
}

/** An event stream that was begun; whether it has ended is told by what it was told. */
async function streamOf(caller: UserCaller): Promise<{ errors: Json[] }> {
  const path = '/accounts/me/stream';
  const { body } = await caller.post('/auth/stream-tickets', { path });
  const stream = new EventSource(`${service.url}${path}?ticket=${body.ticket}`);
  streams.push(stream);
  const errors: Json[] = [];
  stream.addEventListener('error', (event) => {
    const { data } = event as unknown as { data?: string };
    if (data !== undefined) errors.push(JSON.parse(data).error);
  });
  await new Promise<void>((resolve) => stream.addEventListener('account.snapshot', () => resolve()));
  return { errors };
}

describe('a locked user', () => {
  it('loses session, socket, stream, token, key and client within a moment, and some of it for good', async () => {
    const { username, session, token } = await newUser();
    const client = (await session.post('/auth/clients', { name: 'Bot', scopes: ['account:read'] })).body;
    const key = (await session.post('/auth/api-keys', { name: 'Key', scopes: ['account:read'] })).body;
    const ofClient = (await anyone.tryToken(client.client_id, client.client_secret)).body.access_token;
    const credentials = {
      session,
      client: anyone.withBearer(ofClient),
      key: anyone.withApiKey(key.api_key),
    };
    const bySession = await socketOf({ token });
    const byClient = await socketOf({ token: ofClient });
    const byKey = await socketOf({ api_key: key.api_key });
    const stream = await streamOf(session);
    const streamByKey = await streamOf(credentials.key);

    expect(await lock(username)).toMatchObject({ status: 200, body: { username, userStatus: 1 } });
    for (const [name, caller] of Object.entries(credentials)) {
      const refused = await caller.get('/accounts');
      expect(refusalOf(refused), name).toBe(name === 'key' ? '401 invalid_api_key' : '401 invalid_token');
    }
    expect(refusalOf(await anyone.tryToken(client.client_id, client.client_secret))).toBe(
      '401 invalid_client',
    );
    for (const { end } of [bySession, byClient]) expect(await end).toMatchObject({ code: 'invalid_token' });
    expect(await byKey.end).toMatchObject({ code: 'invalid_api_key' });
    await eventually(() => {
      expect(stream.errors[0]).toMatchObject({ code: 'invalid_token' });
      expect(streamByKey.errors[0]).toMatchObject({ code: 'invalid_api_key' });
    });

    expect(await unlock(username)).toMatchObject({ status: 200, body: { userStatus: 0 } });
    expect(refusalOf(await session.get('/accounts'))).toBe('401 invalid_token');
    expect(refusalOf(await credentials.client.get('/accounts'))).toBe('401 invalid_token');
    expect((await credentials.key.get('/accounts')).status).toBe(200);
    const again = await anyone.tryToken(client.client_id, client.client_secret);
    expect((await anyone.withBearer(again.body.access_token).get('/accounts')).status).toBe(200);
    expect((await (await logIn(service, username)).get('/accounts')).status).toBe(200);
  });

  it('is told so for the right password alone, by header, query and page', async () => {
    const { username } = await newUser();
    await lock(username);
    const right = `${username}-password`;
    expect(refusalOf(await anyone.tryLogIn(username, right))).toBe('403 user_locked');
    expect(refusalOf(await anyone.tryLogIn(username, right, 'query'))).toBe('403 user_locked');
    for (const sentIn of ['header', 'query'] as const) {
      const wrong = await anyone.tryLogIn(username, 'a guess', sentIn);
      const nobody = await anyone.tryLogIn('nobody-at-all', 'a guess', sentIn);
      expect(refusalOf(wrong)).toBe('401 invalid_credentials');
      expect({ ...wrong.body.error, request_id: '' }).toEqual({ ...nobody.body.error, request_id: '' });
    }
    await unlock(username);
    expect((await anyone.tryLogIn(username, right)).status).toBe(200);
  });

  it('gets no session by a log-in that was under way when the lock came', async () => {
    const { username } = await newUser();
    const headers = basic(username, `${username}-password`);
    const logIns = Array.from({ length: 6 }, () => anyone.send('GET', '/user/login', undefined, headers));
    await lock(username);
    const tokens = (await Promise.all(logIns)).filter(({ status }) => status === 200);
    await unlock(username);
    for (const { body } of tokens)
      expect(refusalOf(await anyone.withBearer(body).get('/accounts'))).toBe('401 invalid_token');
  });

  it('keeps open orders, which trade on', async () => {
    const { username, session } = await newUser();
    const account = (await session.get('/accounts')).body.data[0].account_id;
    const deposit = { asset: 'USD', amount: '100', reference: 'test' };
    expect((await operator.post(`/admin/accounts/${account}/deposits`, deposit)).status).toBe(201);
    const { order_id: id } = await session.place(limit(MARKET, 'buy', '10', '1'));
    await lock(username);
    await unlock(username);
    expect((await (await logIn(service, username)).get(`/orders/${id}`)).body.status).toBe('open');
  });

  it('is nobody who locks themselves, nor the last operator, nor closed', async () => {
    expect(refusalOf(await lock('admin', chief))).toBe('403 forbidden');
    expect(refusalOf(await lock('admin'))).toBe('409 conflict');
    expect(refusalOf(await lock('nobody-at-all'))).toBe('404 not_found');
    const closed = await newUser();
    await operator.delete(`/user/${closed.username}`);
    for (const act of [lock, unlock]) expect(refusalOf(await act(closed.username))).toBe('404 not_found');
    expect(refusalOf(await operator.post(`/admin/users/${closed.username}/lock`, {}))).toBe(
      '400 validation_failed',
    );
    const customer = await newUser();
    for (const act of [lock, unlock])
      expect(refusalOf(await act('alice', customer.session))).toBe('403 insufficient_scope');
  });

  it('cannot be the last of two operators who lock each other', async () => {
    const other = await newUser({ isOperator: true });
    const replies = await Promise.all([lock('admin', other.session), lock(other.username, chief)]);
    expect(replies.map(({ status }) => status).sort()).not.toEqual([200, 200]);
    for (const username of ['admin', other.username]) await unlock(username);
    chief = await logIn(service, 'admin');
    await lock(other.username);
  });

  it('is locked or not, however often it is said', async () => {
    const { username, session } = await newUser();
    expect(await unlock(username)).toMatchObject({ status: 200, body: { userStatus: 0 } });
    expect((await session.get('/accounts')).status).toBe(200);
    for (let time = 0; time < 2; time++)
      expect(await lock(username)).toMatchObject({ status: 200, body: { userStatus: 1 } });
    expect(await unlock(username)).toMatchObject({ status: 200, body: { userStatus: 0 } });
    // A locked user can be closed, and stays closed.
    await lock(username);
    expect((await operator.delete(`/user/${username}`)).status).toBe(200);
    expect(refusalOf(await unlock(username))).toBe('404 not_found');
  });
});

describe('a frozen account', () => {
  let demo: UserCaller;
  let maker: UserCaller;
  let account: string;
  beforeAll(async () => {
    demo = await clientOf(service, 'demo');
    maker = await clientOf(service, 'maker');
    const accounts: Json[] = (await demo.get('/accounts')).body.data;
    account = accounts.find(({ kind }) => kind === 'trading').account_id;
  });
  afterEach(async () => {
    await freeze(account, 'unfreeze');
    await demo.delete('/orders?all=true');
  });

  const freeze = (id: string, verb = 'freeze', by = operator): Promise<Reply> =>
    by.post(`/admin/accounts/${id}/${verb}`, verb === 'freeze' ? { reason: 'The bank asks.' } : {});
  const FROZEN = '409 account_frozen';

  it('is refused every way to trade, and told by every way that there is', async () => {
    await maker.place(limit(MARKET, 'sell', '60000', '1'));
    await maker.place(limit('RAIN-LISBON', 'sell', '0.4', '5'));
    const quote = { market_id: 'RAIN-LISBON', side: 'buy', size: '1' };
    const { quote_id } = (await demo.post('/quotes', quote)).body;
    const order = limit(MARKET, 'buy', '100', '0.1');
    const resting = await demo.place(order);
    const { socket } = await socketOf({ token: await tokenOf('demo') });

    expect(await freeze(account)).toMatchObject({ status: 200, body: { account_id: account, frozen: true } });
    for (const refused of [
      await demo.post('/orders', order),
      await demo.post('/orders', marketOrder(MARKET, 'buy', '0.1')),
      await demo.post('/orders/preview', order),
      await demo.patch(`/orders/${resting.order_id}`, { size: '0.2' }),
      await demo.post('/quotes', quote),
      await demo.post('/matched-bets', { quote_id }),
    ])
      expect(refusalOf(refused)).toBe(FROZEN);
    const batch = await demo.post('/orders/batch', { orders: [order, order] });
    expect(batch.body.results.map(({ error }: Json) => error.code)).toEqual([
      'account_frozen',
      'account_frozen',
    ]);
    const bySocket: Json = await socket.timeout(60_000).emitWithAck('orders.place', order);
    expect(bySocket.error.code).toBe('account_frozen');
  });

  it('loses its resting orders and waiting stops, and has their money', async () => {
    const before = await demo.balance('USD');
    const resting = await demo.place(limit(MARKET, 'buy', '100', '1'));
    const stop = await demo.place({
      market_id: MARKET,
      side: 'buy',
      type: 'stop_limit',
      stop_price: '90000',
      price: '90000',
      size: '0.01',
    });
    expect(await demo.balance('USD')).not.toEqual(before);
    await freeze(account);
    for (const { order_id: id } of [resting, stop]) {
      expect((await demo.get(`/orders/${id}`)).body).toMatchObject({
        status: 'cancelled',
        status_reason: 'account_frozen',
      });
      expect(refusalOf(await demo.delete(`/orders/${id}`))).toBe('409 order_not_open');
    }
    expect(await demo.balance('USD')).toEqual(before);
    expect((await demo.delete('/orders?all=true')).status).toBe(200);
  });

  it('moves no money, and takes what comes', async () => {
    const { account_id: makers } = (await maker.get('/accounts')).body.data.at(-1);
    const { wallet_id } = (await demo.post('/wallets', { name: 'Mine' })).body;
    const out = { asset: 'USD', amount: '1' };
    await freeze(account);
    for (const destination of [
      { type: 'account', account_id: makers },
      { type: 'wallet', wallet_id },
    ])
      expect(refusalOf(await demo.post('/accounts/me/transfers', { ...out, destination }))).toBe(FROZEN);

    const before = await demo.balance('USD');
    const mine = { type: 'account', account_id: account };
    expect((await maker.post('/accounts/me/transfers', { ...out, destination: mine })).status).toBe(201);
    const deposit = { asset: 'USD', amount: '2', reference: 'test' };
    expect((await operator.post(`/admin/accounts/${account}/deposits`, deposit)).status).toBe(201);
    expect(Number((await demo.balance('USD')).available)).toBe(Number(before.available) + 3);
    expect((await demo.get('/accounts')).body.data).toEqual(
      expect.arrayContaining([expect.objectContaining({ account_id: account, frozen: true })]),
    );
    expect((await demo.get('/accounts/me/entries')).status).toBe(200);

    expect(await freeze(account, 'unfreeze')).toMatchObject({ status: 200, body: { frozen: false } });
    expect(
      (await demo.post('/accounts/me/transfers', { ...out, destination: { type: 'wallet', wallet_id } }))
        .status,
    ).toBe(201);
  });

  it('is a wallet too, which signs and sends nothing then', async () => {
    const wallet = (await demo.post('/wallets', { name: 'Mine' })).body;
    const { address } = (
      await demo.post(`/wallets/${wallet.wallet_id}/addresses`, { chain: 'ethereum', purpose: 'signing' })
    ).body;
    const inside = { type: 'wallet', wallet_id: wallet.wallet_id };
    await demo.post('/accounts/me/transfers', { asset: 'USD', amount: '5', destination: inside });
    const sign = () =>
      demo.post(`/wallets/${wallet.wallet_id}/sign`, { address, type: 'raw', payload: 'mine' });
    const send = () =>
      demo.post(`/wallets/${wallet.wallet_id}/transfers`, {
        asset: 'USD',
        amount: '1',
        destination: { type: 'account', account_id: account },
      });
    expect((await sign()).status).toBe(200);
    expect((await freeze(wallet.account_id)).status).toBe(200);
    expect([refusalOf(await sign()), refusalOf(await send())]).toEqual([FROZEN, FROZEN]);
    // The owner's other accounts are not frozen.
    await demo.place(limit(MARKET, 'buy', '100', '0.1'));
    await freeze(wallet.account_id, 'unfreeze');
    expect((await sign()).status).toBe(200);
    expect((await send()).status).toBe(201);
  });

  it('is nobody of the house, and frozen by operators alone', async () => {
    for (const id of ['acc_7ZZZZZZZZZZ', 'acc_1', 'me', 'nothing'])
      expect(refusalOf(await freeze(id))).toBe('404 account_not_found');
    for (const verb of ['freeze', 'unfreeze'])
      expect(refusalOf(await freeze(account, verb, demo))).toBe('403 insufficient_scope');
    expect(refusalOf(await operator.post(`/admin/accounts/${account}/freeze`, {}))).toBe(
      '400 validation_failed',
    );
  });

  it('stays as it is where many freeze and trade at the same moment', async () => {
    const orders = Array.from({ length: 40 }, (_, place) =>
      demo.post('/orders', limit(MARKET, 'buy', String(100 + place), '0.01')),
    );
    const freezes = Array.from({ length: 4 }, () => freeze(account));
    const replies = await Promise.all([...orders, ...freezes]);
    for (const reply of replies) expect([200, 201, 409]).toContain(reply.status);
    expect((await demo.get('/orders?status=open')).body.data).toEqual([]);
    expect((await demo.balance('USD')).held).toBe('0');
    await eventually(() => expectBalancedBooks(operator));
  });

  async function tokenOf(clientId: string): Promise<string> {
    return (await anyone.tryToken(clientId, `${clientId}-secret`)).body.access_token;
  }
});
