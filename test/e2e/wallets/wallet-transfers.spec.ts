import { randomUUID } from 'node:crypto';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CoreService } from '../../../src/core/core.service.js';
import { amountOf } from '../../../src/domain/money/amount.js';
import { ChainTransfers } from '../../../src/modules/wallets/transfers/chain-transfers.service.js';
import { DueCommands } from '../../../src/modules/wallets/transfers/due-commands.service.js';
import { ServiceFailure } from '../../../src/kit/coded-error.js';
import { MetricsRegistry } from '../../../src/kit/metrics/metrics-registry.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/core.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';
import { callerFor, type Caller, type Json, loggedIn, type Reply } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { newUser } from '../../support/clients/accounts-client.js';
import { closeUser } from '../../support/clients/users-client.js';
import { TRANSFER_IDS, WALLET_IDS } from '../../../src/modules/wallets/ids.js';
import { ACCOUNT_IDS } from '../../../src/modules/accounts/ids.js';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const OTHER_ADDRESS = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

const toAccount = (accountId: string) => ({ type: 'account', account_id: accountId });
const toWallet = (walletId: string) => ({ type: 'wallet', wallet_id: walletId });
const toAddress = (address: string, chain = 'ethereum') => ({ type: 'address', chain, address });

async function newWallet(owner: Caller): Promise<Json> {
  const { status, body } = await owner.post('/wallets', { name: 'Test' });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

async function balanceOf(owner: Caller, walletId: string, asset: string): Promise<Json> {
  const { body } = await owner.get(`/wallets/${walletId}`);
  const found = body.balances.find((balance: Json) => balance.asset === asset);
  return found === undefined ? ['0', '0'] : [found.available, found.held];
}

async function made(reply: Promise<Reply>): Promise<Json> {
  const { status, body } = await reply;
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

async function fundedWallet(owner: Caller, asset: string, amount: string): Promise<Json> {
  const wallet = await newWallet(owner);
  const destination = toWallet(wallet.wallet_id);
  await made(owner.post('/accounts/me/transfers', { asset, amount, destination }));
  return wallet;
}

const refusal = (status: number, code: string) => ({ status, body: { error: { code } } });
const count = (replies: readonly Reply[], status: number): number =>
  replies.filter((reply) => reply.status === status).length;

describe('transfers inside', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let demoAccount: string;
  let makerAccount: string;
  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    [demo, maker, operator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
    ]);
    demoAccount = (await demo.get('/accounts')).body.data[0].account_id;
    makerAccount = (await maker.get('/accounts')).body.data[0].account_id;
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
    app.app.nest.get<DataSource>(getDataSourceToken()).query(text, values);

  it('reach no closed user: their accounts and wallets are unknown destinations', async () => {
    const session = await newUser(app, 'leaver');
    const wallet = await newWallet(session);
    const account = (await session.get('/accounts')).body.data.at(-1).account_id;
    const own = await fundedWallet(demo, 'USD', '5');
    const send = (destination: Json): Promise<Reply> =>
      demo.post(`/wallets/${own.wallet_id}/transfers`, { asset: 'USD', amount: '1', destination });
    await closeUser(session, 'leaver');
    for (const destination of [toAccount(account), toWallet(wallet.wallet_id)]) {
      expect(await send(destination)).toMatchObject(refusal(404, 'destination_not_found'));
      expect(
        await demo.post('/accounts/me/transfers', { asset: 'USD', amount: '1', destination }),
      ).toMatchObject(refusal(404, 'destination_not_found'));
    }
    expect(await balanceOf(demo, own.wallet_id, 'USD')).toEqual(['5', '0']);
  });

  it('move money into a wallet and back at once', async () => {
    const wallet = await newWallet(demo);
    const into = await made(
      demo.post('/accounts/me/transfers', {
        asset: 'USD',
        amount: '100.50',
        destination: toWallet(wallet.wallet_id),
      }),
    );
    expect(into).toEqual({
      transfer_id: expect.stringMatching(/^trf_[0-9A-Z]{11}$/),
      wallet_id: null,
      direction: 'out',
      status: 'completed',
      reason: null,
      asset: 'USD',
      amount: '100.5',
      fee: '0',
      fee_asset: 'USD',
      source: { type: 'account', account_id: demoAccount },
      destination: { type: 'wallet', wallet_id: wallet.wallet_id },
      tx_hash: null,
      confirmations: null,
      client_transfer_id: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['100.5', '0']);
    const back = await made(
      demo.post(`/wallets/${wallet.wallet_id}/transfers`, {
        asset: 'USD',
        amount: '0.000000000000000001',
        destination: toAccount(demoAccount),
      }),
    );
    expect(back).toMatchObject({ status: 'completed', wallet_id: wallet.wallet_id, direction: 'out' });
    expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['100.499999999999999999', '0']);
    const entries = (await demo.get('/accounts/me/entries?limit=2')).body.data;
    expect(entries.map(({ reference }: Json) => reference)).toEqual([back.transfer_id, into.transfer_id]);
  });

  it('reach others whoever has set the password of who sends, with FOUR_EYES off', async () => {
    const admin = await loggedIn(app.url, 'admin');
    expect((await admin.post('/user', { username: 'forgetful', password: 'forgotten' })).status).toBe(200);
    const password = { password: 'forgetful-password' };
    expect((await admin.send('PUT', '/user/forgetful', JSON.stringify(password))).status).toBe(200);
    const forgetful = await loggedIn(app.url, 'forgetful');
    const [{ account_id: own }] = (await forgetful.get('/accounts')).body.data;
    const gift = { asset: 'USD', amount: '5' };
    await made(demo.post('/accounts/me/transfers', { ...gift, destination: toAccount(own) }));
    await made(forgetful.post('/accounts/me/transfers', { ...gift, destination: toAccount(demoAccount) }));
  });

  it('reach the wallets and accounts of others, who see what has arrived', async () => {
    const [mine, theirs] = [await fundedWallet(demo, 'BTC', '2'), await newWallet(maker)];
    const sent = await made(
      demo.post(`/wallets/${mine.wallet_id}/transfers`, {
        asset: 'BTC',
        amount: '0.5',
        destination: toWallet(theirs.wallet_id),
        client_transfer_id: 'private',
      }),
    );
    const seen = (await maker.get(`/wallets/${theirs.wallet_id}/transfers`)).body.data;
    expect(seen).toEqual([
      { ...sent, wallet_id: theirs.wallet_id, direction: 'in', client_transfer_id: null },
    ]);
    const path = `/wallets/${theirs.wallet_id}/transfers/${sent.transfer_id}`;
    expect((await maker.get(path)).body).toEqual({
      ...seen[0],
      states: [{ status: 'completed', reason: null, at: expect.any(String) }],
    });
    expect(await demo.get(path)).toMatchObject(refusal(404, 'not_found'));
    expect(await maker.delete(path)).toMatchObject(refusal(409, 'transfer_not_pending'));
    await made(
      demo.post(`/wallets/${mine.wallet_id}/transfers`, {
        asset: 'BTC',
        amount: '0.25',
        destination: toAccount(makerAccount),
      }),
    );
    expect(await balanceOf(demo, mine.wallet_id, 'BTC')).toEqual(['1.25', '0']);
    expect(await balanceOf(maker, theirs.wallet_id, 'BTC')).toEqual(['0.5', '0']);
  });

  it('of a wallet are listed newest first, page by page, and by what they are', async () => {
    const wallet = await newWallet(demo);
    const id = wallet.wallet_id;
    const all: Json[] = [];
    for (let index = 1; index <= 7; index++) {
      const [asset, amount] = [index % 2 === 0 ? 'USD' : 'EUR', `${index}`];
      const into = await made(
        demo.post('/accounts/me/transfers', { asset, amount, destination: toWallet(id) }),
      );
      all.push({ ...into, wallet_id: id, direction: 'in' });
      if (index % 3 !== 0) continue;
      all.push(
        await made(
          demo.post(`/wallets/${id}/transfers`, { asset, amount: '1', destination: toAccount(makerAccount) }),
        ),
      );
    }
    all.reverse();
    for (const size of [1, 2, 200]) {
      expect(await demo.walk(`/wallets/${id}/transfers`, size)).toEqual(all);
    }
    const filtered = async (filter: string) => demo.walk(`/wallets/${id}/transfers?${filter}`, 2);
    expect(await filtered('direction=out')).toEqual(all.filter(({ direction }) => direction === 'out'));
    expect(await filtered('direction=in&asset=EUR')).toEqual(
      all.filter(({ direction, asset }) => direction === 'in' && asset === 'EUR'),
    );
    expect(await filtered('status=completed')).toEqual(all);
    expect(await filtered('status=failed')).toEqual([]);
    expect(await filtered('chain=ethereum')).toEqual([]);
    const middle = all[4].created_at;
    expect(await filtered(`from=${middle}`)).toEqual(all.filter(({ created_at }) => created_at >= middle));
    expect(await filtered(`to=${middle}`)).toEqual(all.filter(({ created_at }) => created_at < middle));
    for (const bad of ['direction=up', 'status=lost', 'chain=doge', 'from=yesterday', 'page=2', 'limit=0']) {
      expect(await demo.get(`/wallets/${id}/transfers?${bad}`)).toMatchObject(
        refusal(400, 'validation_failed'),
      );
    }
    expect(await demo.get(`/wallets/${id}/transfers?cursor=WzFd`)).toMatchObject(
      refusal(400, 'invalid_cursor'),
    );
  });

  it('of a long history are found by a rare filter, in pages that may be short', async () => {
    const wallet = await fundedWallet(demo, 'USD', '1');
    const rare = (await demo.get(`/wallets/${wallet.wallet_id}/transfers`)).body.data;
    await query(
      `INSERT INTO wallet_transfers (status, asset, amount, fee_asset, fee, fee_held, source_type, source_account_id,
         destination_type, destination_account_id, destination_wallet_id, accepted_at, created_at)
       SELECT 'completed', 'EUR', 1, 'EUR', 0, 0, 'account', 1, 'wallet', 2, $1::bigint, now(),
         now() + number * interval '1 millisecond'
       FROM generate_series(1, 11000) AS number`,
      [WALLET_IDS.parse(wallet.wallet_id)],
    );
    const path = `/wallets/${wallet.wallet_id}/transfers?asset=USD`;
    const first = (await demo.get(path)).body;
    expect(first).toEqual({ data: [], next_cursor: expect.any(String) });
    expect(await demo.walk(path, 50)).toEqual(rare);
    expect(await demo.walk(`/wallets/${wallet.wallet_id}/transfers`, 200)).toHaveLength(11_001);
  });

  it('leave nothing behind where the money is not there', async () => {
    const wallet = await fundedWallet(demo, 'EUR', '10');
    const rows = async () => (await query('SELECT count(*) FROM wallet_transfers'))[0].count;
    const before = await rows();
    const path = `/wallets/${wallet.wallet_id}/transfers`;
    const body = { asset: 'EUR', destination: toAccount(demoAccount), client_transfer_id: 'again' };
    expect(await demo.post(path, { ...body, amount: '10.01' })).toMatchObject(
      refusal(422, 'insufficient_funds'),
    );
    expect(await demo.post(path, { ...body, asset: 'DOGE', amount: '1' })).toMatchObject(
      refusal(404, 'asset_not_found'),
    );
    expect(await rows()).toBe(before);
    await made(demo.post(path, { ...body, amount: '10' }));
  });

  it('cannot be told where the house, a market or a rail has its money', async () => {
    const market = await createMarket(operator, 'POOL-SEEN', { kind: 'event', base_asset: undefined });
    const houses = await query(
      `SELECT account_id, kind, name FROM accounts WHERE owner IS NULL OR kind NOT IN ('trading', 'wallet')`,
    );
    expect(houses.some(({ kind }) => kind === 'pool')).toBe(true);
    expect(houses.some(({ kind }) => kind === 'external')).toBe(true);
    const formatted = houses.map(({ account_id: id }) => `acc_${Number(id).toString(32).padStart(11, '0')}`);
    const wallet = await fundedWallet(demo, 'USD', '1');
    const unknown = ['acc_7ZZZZZZZZZZ', 'acc_1', market, '', 'me', wallet.account_id];
    for (const accountId of [...formatted, ...unknown]) {
      const body = { asset: 'USD', amount: '1', destination: toAccount(accountId) };
      expect(await demo.post('/accounts/me/transfers', body), accountId).toMatchObject(
        refusal(404, 'destination_not_found'),
      );
    }
    for (const accountId of [...formatted, wallet.account_id, makerAccount]) {
      const body = { asset: 'USD', amount: '1', destination: toWallet(wallet.wallet_id) };
      expect(await demo.post(`/accounts/${accountId}/transfers`, body)).toMatchObject(
        refusal(404, 'account_not_found'),
      );
    }
  });

  it('take no part in trading', async () => {
    const wallet = await fundedWallet(demo, 'USD', '1000');
    const order = limit('BTC-USD', 'buy', '1', '1', { account_id: wallet.account_id });
    expect(await demo.post('/orders', order)).toMatchObject(refusal(404, 'account_not_found'));
    expect(await demo.post('/orders/preview', order)).toMatchObject(refusal(404, 'account_not_found'));
  });

  it('are refused from foreign wallets and accounts, to nowhere, and to where the money is', async () => {
    const [mine, theirs] = [await fundedWallet(demo, 'USD', '5'), await fundedWallet(maker, 'USD', '5')];
    const body = { asset: 'USD', amount: '1', destination: toAccount(demoAccount) };
    expect(await demo.post(`/wallets/${theirs.wallet_id}/transfers`, body)).toMatchObject(
      refusal(404, 'not_found'),
    );
    expect(await demo.get(`/wallets/${theirs.wallet_id}/transfers`)).toMatchObject(refusal(404, 'not_found'));
    const own = { ...body, destination: toWallet(mine.wallet_id) };
    expect(await demo.post(`/wallets/${mine.wallet_id}/transfers`, own)).toMatchObject(
      refusal(422, 'destination_not_allowed'),
    );
    expect(await demo.post('/accounts/me/transfers', body)).toMatchObject(
      refusal(422, 'destination_not_allowed'),
    );
    const nowhere = { ...body, destination: toWallet('wlt_7ZZZZZZZZZZ') };
    expect(await demo.post('/accounts/me/transfers', nowhere)).toMatchObject(
      refusal(404, 'destination_not_found'),
    );
    expect(await balanceOf(maker, theirs.wallet_id, 'USD')).toEqual(['5', '0']);
  });

  it('are refused with the field that is wrong', async () => {
    const wallet = await fundedWallet(demo, 'USD', '5');
    const path = `/wallets/${wallet.wallet_id}/transfers`;
    const fine = { asset: 'USD', amount: '1', destination: toAccount(makerAccount) };
    const bad: readonly [field: string, body: Json][] = [
      ...['-1', '0', '0.00', '1e3', ' 1', '01', '+1', '1.', '٣', '0.0000000000000000001', 1, null, {}].map(
        (amount): [string, Json] => ['amount', { ...fine, amount }],
      ),
      ['asset', { ...fine, asset: '' }],
      ['asset', { ...fine, asset: ['USD'] }],
      ['client_transfer_id', { ...fine, client_transfer_id: 'x'.repeat(65) }],
      ['client_transfer_id', { ...fine, client_transfer_id: '' }],
      ['client_transfer_id', { ...fine, client_transfer_id: 'two words' }],
      ['client_transfer_id', { ...fine, client_transfer_id: 'ﬁne' }],
      ['status', { ...fine, status: 'completed' }],
      ['fee', { ...fine, fee: '0' }],
      ['requested_by', { ...fine, requested_by: 'user:1' }],
      ['destination', { ...fine, destination: null }],
      ['destination', { ...fine, destination: 'acc_1' }],
      ['destination', { ...fine, destination: [] }],
      ['destination.type', { ...fine, destination: { type: 'rail', rail: 'demo' } }],
      ['destination.rail', { ...fine, destination: { ...fine.destination, rail: 'demo' } }],
      ['destination.account_id', { ...fine, destination: { type: 'account' } }],
      ['destination.account_id', { ...fine, destination: { type: 'account', account_id: 5 } }],
      [
        'destination.wallet_id',
        { ...fine, destination: { ...fine.destination, wallet_id: wallet.wallet_id } },
      ],
      ['destination.address', { ...fine, destination: { type: 'address', chain: 'ethereum' } }],
      ['destination.chain', { ...fine, destination: { type: 'address', address: ADDRESS } }],
      ['destination.chain', { ...fine, destination: toAddress(ADDRESS, 'dogecoin') }],
    ];
    for (const [field, body] of bad) {
      const reply = await demo.post(path, body);
      expect(reply, JSON.stringify(body)).toMatchObject(refusal(400, 'validation_failed'));
      const fields = reply.body.error.details.map((detail: Json) => detail.field);
      expect(fields, JSON.stringify(body)).toContain(field);
    }
    expect(await demo.post(path, { ...fine, client_transfer_id: '\u0000' })).toMatchObject(
      refusal(400, 'malformed_request'),
    );
    const outside = { ...fine, destination: toAddress(ADDRESS) };
    expect(await demo.post('/accounts/me/transfers', outside)).toMatchObject(
      refusal(400, 'validation_failed'),
    );
    expect(await demo.post(path, outside)).toMatchObject(refusal(503, 'chain_unavailable'));
    for (const odd of [
      'acc_\u202e0000000000D',
      'acc_００００００００００１',
      'ACC_0000000000D',
      '../admin',
    ]) {
      expect(await demo.post(path, { ...fine, destination: toAccount(odd) })).toMatchObject(
        refusal(404, 'destination_not_found'),
      );
    }
    expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['5', '0']);
  });

  it('need the scope of wallets', async () => {
    const [reader, trader] = await Promise.all([
      callerFor(app.url, 'demo', 'wallets:read'),
      callerFor(app.url, 'demo', 'markets:trade'),
    ]);
    const wallet = await newWallet(demo);
    const path = `/wallets/${wallet.wallet_id}/transfers`;
    const body = { asset: 'USD', amount: '1', destination: toAccount(makerAccount) };
    for (const caller of [reader, trader]) {
      expect(await caller.post(path, body)).toMatchObject(refusal(403, 'insufficient_scope'));
      expect(await caller.post('/accounts/me/transfers', body)).toMatchObject(
        refusal(403, 'insufficient_scope'),
      );
    }
    expect(await trader.get(path)).toMatchObject(refusal(403, 'insufficient_scope'));
    expect((await reader.get(path)).status).toBe(200);
  });

  describe('that are repeated', () => {
    it('by the same key give the first answer, and by another body nothing', async () => {
      const wallet = await newWallet(demo);
      const body = { asset: 'USD', amount: '1', destination: toWallet(wallet.wallet_id) };
      const key = { 'idempotency-key': 'transfer-1' };
      const first = await demo.post('/accounts/me/transfers', body, key);
      const second = await demo.post('/accounts/me/transfers', body, key);
      expect(second).toMatchObject({ status: 201, body: first.body });
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      expect(await demo.post('/accounts/me/transfers', { ...body, amount: '2' }, key)).toMatchObject(
        refusal(422, 'idempotency_key_reused'),
      );
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['1', '0']);
    });

    it('by the same client_transfer_id are one, for good, in each account and wallet', async () => {
      const wallet = await newWallet(demo);
      const body = {
        asset: 'USD',
        amount: '1.00',
        destination: toWallet(wallet.wallet_id),
        client_transfer_id: 'one~!',
      };
      const first = await demo.post('/accounts/me/transfers', body);
      const again = await demo.post('/accounts/me/transfers', { ...body, amount: '1' });
      expect(again).toMatchObject({ status: 201, body: first.body });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      for (const other of [{ amount: '1.01' }, { asset: 'EUR' }, { destination: toAccount(makerAccount) }]) {
        expect(await demo.post('/accounts/me/transfers', { ...body, ...other })).toMatchObject(
          refusal(409, 'duplicate_client_transfer_id'),
        );
      }
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['1', '0']);
      await made(maker.post('/accounts/me/transfers', body));
      await made(
        demo.post(`/wallets/${wallet.wallet_id}/transfers`, {
          ...body,
          destination: toAccount(makerAccount),
        }),
      );
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['1', '0']);
    });

    it('twenty times at once move once', async () => {
      const wallet = await newWallet(demo);
      const body = { asset: 'USD', amount: '7', destination: toWallet(wallet.wallet_id) };
      const key = { 'idempotency-key': 'crowd' };
      const keyed = await Promise.all(
        Array.from({ length: 20 }, () => demo.post('/accounts/me/transfers', body, key)),
      );
      expect(count(keyed, 201)).toBeGreaterThan(0);
      expect(count(keyed, 201) + count(keyed, 409)).toBe(20);
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['7', '0']);

      const named = { ...body, client_transfer_id: 'crowd' };
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => demo.post('/accounts/me/transfers', named)),
      );
      expect(count(replies, 201)).toBe(20);
      expect(new Set(replies.map(({ body: { transfer_id } }) => transfer_id)).size).toBe(1);
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['14', '0']);
      await expectBalancedBooks(operator);
    });

    it('after a crash, by the same key, are the transfer that was begun', async () => {
      const wallet = await newWallet(demo);
      const body = { asset: 'USD', amount: '3', destination: toWallet(wallet.wallet_id) };
      const key = { 'idempotency-key': 'crashed' };
      const first = await made(demo.post('/accounts/me/transfers', body, key));
      // As if the process had died before the answer was stored, and its lease had expired.
      const [cleared] = await query(
        `UPDATE idempotency_keys SET state = 'running', status = NULL, body = NULL,
           leased_until = now() - interval '1 second'
         WHERE body LIKE $1 RETURNING 1 AS ok`,
        [`%${first.transfer_id}%`],
      );
      expect(cleared).toHaveLength(1);
      expect((await made(demo.post('/accounts/me/transfers', body, key))).transfer_id).toBe(
        first.transfer_id,
      );
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['3', '0']);
      // A day later the key has expired.
      await query(`UPDATE idempotency_keys SET created_at = created_at - interval '25 hours'`);
      await query(`UPDATE wallet_transfers SET created_at = created_at - interval '25 hours'`);
      expect((await made(demo.post('/accounts/me/transfers', body, key))).transfer_id).not.toBe(
        first.transfer_id,
      );
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['6', '0']);
    });
  });

  it('twenty at once never overdraw', async () => {
    const [mine, theirs] = [await fundedWallet(demo, 'USD', '10'), await newWallet(maker)];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        demo.post(`/wallets/${mine.wallet_id}/transfers`, {
          asset: 'USD',
          amount: '1.5',
          destination: toWallet(theirs.wallet_id),
          client_transfer_id: `race-${index}`,
        }),
      ),
    );
    expect([count(replies, 201), count(replies, 422)]).toEqual([6, 14]);
    expect(await balanceOf(demo, mine.wallet_id, 'USD')).toEqual(['1', '0']);
    expect(await balanceOf(maker, theirs.wallet_id, 'USD')).toEqual(['9', '0']);
    expect(await demo.walk(`/wallets/${mine.wallet_id}/transfers?direction=out`, 200)).toHaveLength(6);
    // Refused transfers do not use up their ids.
    const refused = replies.findIndex(({ status }) => status === 422);
    await made(
      demo.post(`/wallets/${mine.wallet_id}/transfers`, {
        asset: 'USD',
        amount: '1',
        destination: toWallet(theirs.wallet_id),
        client_transfer_id: `race-${refused}`,
      }),
    );
    await expectBalancedBooks(operator);
  });

  it('round and round keep all the money there is', async () => {
    const wallets = await Promise.all([1, 2, 3].map(() => fundedWallet(demo, 'ETH', '5')));
    const replies = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        demo.post(`/wallets/${wallets[index % 3].wallet_id}/transfers`, {
          asset: 'ETH',
          amount: '1.000000000000000001',
          destination: toWallet(wallets[(index + 1 + (index % 2)) % 3].wallet_id),
        }),
      ),
    );
    for (const { status } of replies) expect([201, 422]).toContain(status);
    const rest = await Promise.all(wallets.map(({ wallet_id }) => balanceOf(demo, wallet_id, 'ETH')));
    const total = rest.reduce((sum, [available]) => sum + amountOf(available), 0n);
    expect(total).toBe(15n * 10n ** 18n);
  });

  describe('that a process left half done', () => {
    /** The state committed before the core is called. */
    const leaveHalfDone = async (walletId: string, accountId: string, amount: string): Promise<string> => {
      const [row] = await query(
        `INSERT INTO wallet_transfers (status, due_command, asset, amount, fee_asset, fee, fee_held, source_type,
           source_account_id, destination_type, destination_account_id, destination_wallet_id, requested_by, updated_at)
         VALUES ('pending', 'move', 'USD', $1::numeric, 'USD', 0, 0, 'account', $2::bigint, 'wallet', $3::bigint,
           $4::bigint, 'client:demo', now() - interval '1 minute') RETURNING transfer_id`,
        [
          amountOf(amount).toString(),
          ACCOUNT_IDS.parse(demoAccount),
          ACCOUNT_IDS.parse(accountId),
          WALLET_IDS.parse(walletId),
        ],
      );
      return row.transfer_id;
    };

    it('are done by the sweep, once', async () => {
      const wallet = await newWallet(demo);
      const id = await leaveHalfDone(wallet.wallet_id, wallet.account_id, '8');
      const path = `/wallets/${wallet.wallet_id}/transfers`;
      expect((await demo.get(path)).body.data).toEqual([]);
      const due = app.app.nest.get(DueCommands);
      await Promise.all([due.sweep(0), due.sweep(0), due.sweep(0)]);
      expect(await due.sweep(0)).toBe(0);
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['8', '0']);
      const [seen, ...more] = (await demo.get(path)).body.data;
      expect(more).toEqual([]);
      const { states } = (await demo.get(`${path}/${seen.transfer_id}`)).body;
      expect(states.map(({ status }: Json) => status)).toEqual(['completed']);
      // The key is that of older versions, so that their transfers are recognised.
      const keys = await query(
        `SELECT key FROM command_keys WHERE owner = 'request:transfer' AND key LIKE $1`,
        [`${id}:%`],
      );
      expect(keys).toEqual([{ key: `${id}:move` }]);
    });

    it('are not done again where only the answer was missed', async () => {
      const wallet = await newWallet(demo);
      const id = await leaveHalfDone(wallet.wallet_id, wallet.account_id, '8');
      const due = app.app.nest.get(DueCommands);
      await due.sweep(0);
      await query(
        `UPDATE wallet_transfers SET status = 'pending', due_command = 'move', accepted_at = NULL,
           updated_at = now() - interval '1 minute' WHERE transfer_id = $1`,
        [id],
      );
      expect(await due.sweep(0)).toBe(1);
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['8', '0']);
    });

    it('are gone where the money is not there, and nobody can move it later', async () => {
      const wallet = await newWallet(demo);
      const id = await leaveHalfDone(wallet.wallet_id, wallet.account_id, '999999999');
      const due = app.app.nest.get(DueCommands);
      const [late] = await query('SELECT * FROM wallet_transfers WHERE transfer_id = $1', [id]);
      await due.sweep(0);
      expect(await query('SELECT 1 FROM wallet_transfers WHERE transfer_id = $1', [id])).toEqual([]);
      // A worker that read the row earlier, for which the money has arrived meanwhile.
      const verdict = await due.carryOut({
        transferId: id,
        dueCommand: 'move',
        chain: null,
        asset: 'USD',
        amount: amountOf('1'),
        sourceAccountId: late.source_account_id,
        destinationAccountId: late.destination_account_id,
      } as Parameters<DueCommands['carryOut']>[0]);
      expect(verdict).toMatchObject({ accepted: false, refusal: { code: 'idempotency_key_reused' } });
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['0', '0']);
    });

    it('are not said to have failed where they will be done later', async () => {
      const wallet = await newWallet(demo);
      const body = {
        asset: 'USD',
        amount: '6',
        destination: toWallet(wallet.wallet_id),
        client_transfer_id: 'later',
      };
      const submit = vi
        .spyOn(app.app.nest.get(CoreService), 'submit')
        .mockRejectedValueOnce(new ServiceFailure('temporarily_unavailable', 'Not now.'));
      try {
        expect(await demo.post('/accounts/me/transfers', body)).toMatchObject(
          refusal(503, 'outcome_unknown'),
        );
      } finally {
        submit.mockRestore();
      }
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['0', '0']);
      await app.app.nest.get(DueCommands).sweep(0);
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['6', '0']);
      const again = await demo.post('/accounts/me/transfers', body);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['6', '0']);
    });

    it('keep their Idempotency-Key from any other transfer while their outcome is unknown', async () => {
      const [wallet, other] = [await newWallet(demo), await newWallet(demo)];
      const body = { asset: 'USD', amount: '7', destination: toWallet(wallet.wallet_id) };
      const headers = { 'idempotency-key': randomUUID() };
      const submit = vi
        .spyOn(app.app.nest.get(CoreService), 'submit')
        .mockRejectedValueOnce(new ServiceFailure('temporarily_unavailable', 'Not now.'));
      try {
        expect(await demo.post('/accounts/me/transfers', body, headers)).toMatchObject(
          refusal(503, 'outcome_unknown'),
        );
      } finally {
        submit.mockRestore();
      }
      for (const another of [
        { ...body, amount: '8' },
        { ...body, asset: 'EUR' },
        { ...body, destination: toWallet(other.wallet_id) },
        { ...body, client_transfer_id: 'another' },
      ]) {
        expect(await demo.post('/accounts/me/transfers', another, headers)).toMatchObject(
          refusal(422, 'idempotency_key_reused'),
        );
      }
      const fromWallet = { ...body, destination: toWallet(other.wallet_id) };
      expect(await demo.post(`/wallets/${wallet.wallet_id}/transfers`, fromWallet, headers)).toMatchObject(
        refusal(422, 'idempotency_key_reused'),
      );
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['0', '0']);
      const made = await demo.post('/accounts/me/transfers', body, headers);
      expect(made).toMatchObject({ status: 201, body: { amount: '7' } });
      await app.app.nest.get(DueCommands).sweep(0);
      expect(await balanceOf(demo, wallet.wallet_id, 'USD')).toEqual(['7', '0']);
      expect(await balanceOf(demo, other.wallet_id, 'USD')).toEqual(['0', '0']);
    });

    it('are done at the next start', async () => {
      const wallet = await newWallet(demo);
      await leaveHalfDone(wallet.wallet_id, wallet.account_id, '9');
      await app.app.nest.get(DueCommands).onApplicationBootstrap();
      await eventually(
        async () => (await balanceOf(demo, wallet.wallet_id, 'USD'))[0] === '9',
        'the transfer is done',
      );
    });
  });
});

describe('transfers over a chain', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let operator: Caller;
  let otherOperator: Caller;
  let chain: ChainTransfers;
  beforeAll(async () => {
    app = await startTestApp({
      rateLimits: 'off',
      plugins: [QuietChainPlugin],
      environment: { WALLET_APPROVAL_ABOVE: 'USDC:1000', WALLET_DAILY_LIMIT: 'ETH:12' },
    });
    [demo, maker, operator, otherOperator] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'maker'),
      callerFor(app.url, 'admin'),
      loggedIn(app.url, 'admin'),
    ]);
    chain = app.app.nest.get(ChainTransfers);
    await setLevel(demo, 1);
    await eventually(async () => {
      const { body } = await operator.get('/admin/chains');
      return body.data.some(({ chain, head_block }: Json) => chain === 'ethereum' && head_block === 1);
    }, 'the chain is known');
  });
  afterAll(async () => {
    await expectBalancedBooks(operator);
    await app.close();
  });

  const setLevel = async (owner: Caller, level: number): Promise<void> => {
    const { body } = await owner.get('/accounts?limit=200');
    const accountId = ACCOUNT_IDS.parse(body.data.at(-1).account_id)!;
    await app.app.nest.get(CoreService).submit({ commands: [{ type: 'set_kyc_level', accountId, level }] });
  };
  const send = (wallet: Json, asset: string, amount: string, more: Json = {}, owner = demo): Promise<Reply> =>
    owner.post(`/wallets/${wallet.wallet_id}/transfers`, {
      asset,
      amount,
      destination: toAddress(ADDRESS),
      ...more,
    });
  const numberOf = (transfer: Json): string => String(TRANSFER_IDS.parse(transfer.transfer_id));
  const read = async (wallet: Json, transfer: Json): Promise<Json> =>
    (await demo.get(`/wallets/${wallet.wallet_id}/transfers/${transfer.transfer_id}`)).body;
  /** A wallet with USDC and enough ETH for gas. */
  const tokenWallet = async (amount: string): Promise<Json> => {
    const wallet = await fundedWallet(demo, 'USDC', amount);
    const destination = toWallet(wallet.wallet_id);
    await made(demo.post('/accounts/me/transfers', { asset: 'ETH', amount: '1', destination }));
    return wallet;
  };

  it('hold the amount and the most that the chain may take, and are given back when cancelled', async () => {
    const wallet = await fundedWallet(demo, 'ETH', '2');
    const sent = await made(send(wallet, 'ETH', '1.5', { client_transfer_id: 'out-1' }));
    expect(sent).toMatchObject({
      status: 'pending',
      amount: '1.5',
      fee_asset: 'ETH',
      source: { type: 'wallet', wallet_id: wallet.wallet_id },
      destination: toAddress(ADDRESS),
      tx_hash: null,
      client_transfer_id: 'out-1',
    });
    const held = amountOf('1.5') + amountOf(sent.fee);
    expect(amountOf(sent.fee)).toBeGreaterThan(0n);
    const [available, stillHeld] = await balanceOf(demo, wallet.wallet_id, 'ETH');
    expect([amountOf(available), amountOf(stillHeld)]).toEqual([amountOf('2') - held, held]);

    const path = `/wallets/${wallet.wallet_id}/transfers/${sent.transfer_id}`;
    const cancels = await Promise.all(Array.from({ length: 8 }, () => demo.delete(path)));
    expect([count(cancels, 200), count(cancels, 409)]).toEqual([1, 7]);
    expect(await balanceOf(demo, wallet.wallet_id, 'ETH')).toEqual(['2', '0']);
    const cancelled = await read(wallet, sent);
    expect(cancelled).toMatchObject({ status: 'cancelled', fee: '0' });
    expect(cancelled.states.map(({ status }: Json) => status)).toEqual(['pending', 'cancelled']);
    expect(await chain.broadcasting(numberOf(sent), '0xaa')).toBe(false);
    // The id still refers to the same transfer.
    expect((await made(send(wallet, 'ETH', '1.5', { client_transfer_id: 'out-1' }))).status).toBe(
      'cancelled',
    );
  });

  it('are paid once when the chain is done, at the real fee', async () => {
    const wallet = await tokenWallet('100');
    const sent = await made(send(wallet, 'USDC', '60'));
    expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['40', '60']);
    expect((await balanceOf(demo, wallet.wallet_id, 'ETH'))[1]).toBe(sent.fee);
    const id = numberOf(sent);
    expect((await chain.waiting('ethereum', 500)).map(({ transferId }) => transferId)).toContain(id);
    expect(await chain.broadcasting(id, '0xaa')).toBe(true);
    expect(await demo.delete(`/wallets/${wallet.wallet_id}/transfers/${sent.transfer_id}`)).toMatchObject(
      refusal(409, 'transfer_not_pending'),
    );
    expect(await chain.broadcasting(id, '0xbb')).toBe(true);
    expect(await chain.confirming(id, '0xbb', 1)).toBe(true);
    expect(await chain.confirming(id, '0xbb', 2)).toBe(true);
    expect(await read(wallet, sent)).toMatchObject({
      status: 'confirming',
      tx_hash: '0xbb',
      confirmations: 2,
    });
    expect(await chain.broadcasting(id, '0xbb')).toBe(true);
    expect(await chain.confirming(id, '0xbb', 1)).toBe(true);
    const end = { txHash: '0xbb', feePaid: amountOf('0.000001'), confirmations: 12 };
    expect(await Promise.all([1, 2, 3].map(() => chain.complete(id, end)))).toEqual([0n, 0n, 0n]);
    const done = await read(wallet, sent);
    expect(done).toMatchObject({ status: 'completed', fee: '0.000001', tx_hash: '0xbb', confirmations: 12 });
    expect(done.states.map(({ status }: Json) => status)).toEqual([
      'pending',
      'broadcasting',
      'confirming',
      'broadcasting',
      'confirming',
      'completed',
    ]);
    expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['40', '0']);
    expect(await balanceOf(demo, wallet.wallet_id, 'ETH')).toEqual(['0.999999', '0']);
    await expect(chain.fail(id, 'late')).rejects.toThrow('completed');
  });

  it('are given back once when the chain refuses, less a fee that was spent', async () => {
    const wallet = await tokenWallet('100');
    const sent = await made(send(wallet, 'USDC', '60'));
    const id = numberOf(sent);
    await chain.broadcasting(id, '0xcc');
    await Promise.all([1, 2, 3].map(() => chain.fail(id, 'reverted', amountOf('0.000002'))));
    expect(await read(wallet, sent)).toMatchObject({ status: 'failed', reason: 'reverted', fee: '0.000002' });
    expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['100', '0']);
    expect(await balanceOf(demo, wallet.wallet_id, 'ETH')).toEqual(['0.999998', '0']);
  });

  it('leave what the fee was more than was put aside to the house', async () => {
    const wallet = await fundedWallet(demo, 'ETH', '1');
    const sent = await made(send(wallet, 'ETH', '0.5'));
    await chain.broadcasting(numberOf(sent), '0xdd');
    const feePaid = amountOf(sent.fee);
    const end = { txHash: '0xdd', feePaid: amountOf('0.4'), confirmations: 1 };
    expect(await chain.complete(numberOf(sent), end)).toBe(amountOf('0.4') - feePaid);
    const [available, held] = await balanceOf(demo, wallet.wallet_id, 'ETH');
    expect([amountOf(available), held]).toEqual([amountOf('0.5') - feePaid, '0']);
  });

  it('credit deposits once', async () => {
    const wallet = await newWallet(demo);
    const deposit = {
      chain: 'ethereum',
      walletId: String(WALLET_IDS.parse(wallet.wallet_id)),
      accountId: ACCOUNT_IDS.parse(wallet.account_id)!,
      asset: 'USDC',
      amount: amountOf('12.5'),
      txHash: '0xee',
      index: 3,
      from: OTHER_ADDRESS,
      to: ADDRESS,
      confirmations: 1,
    };
    const ids = await Promise.all(Array.from({ length: 10 }, () => chain.creditDeposit(deposit)));
    expect(new Set(ids).size).toBe(1);
    await chain.creditDeposit({ ...deposit, index: 4 });
    expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['25', '0']);
    const [, first] = (await demo.get(`/wallets/${wallet.wallet_id}/transfers?direction=in&chain=ethereum`))
      .body.data;
    expect(first).toMatchObject({
      status: 'completed',
      amount: '12.5',
      source: toAddress(OTHER_ADDRESS),
      destination: { type: 'wallet', wallet_id: wallet.wallet_id, address: ADDRESS },
      tx_hash: '0xee',
    });
  });

  it('go to no address that is the house’s own, or without a key, or of a closed user', async () => {
    const wallet = await tokenWallet('10');
    const { data } = (await operator.get('/admin/chains')).body;
    const hot = data.find((one: Json) => one.chain === 'ethereum').hot_address;
    const session = await newUser(app, 'gone');
    const former = await made(
      session.post(`/wallets/${(await newWallet(session)).wallet_id}/addresses`, { chain: 'ethereum' }),
    );
    expect(former).toMatchObject({ purpose: 'deposit' });
    await closeUser(session, 'gone');
    const list = (address: string): Promise<Reply> =>
      demo.post(`/wallets/${wallet.wallet_id}/destinations`, { chain: 'ethereum', address, label: 'x' });
    for (const [address, code] of [
      [hot, 'destination_not_allowed'],
      [former.address, 'destination_not_allowed'],
      ['0x000000000000000000000000000000000000dEaD', 'invalid_address'],
      ['0x0000000000000000000000000000000000000001', 'invalid_address'],
    ]) {
      expect(await send(wallet, 'USDC', '1', { destination: toAddress(address) }), address).toMatchObject(
        refusal(422, code),
      );
      expect(await list(address), address).toMatchObject(refusal(422, code));
    }
    expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['10', '0']);
  });

  it('go to addresses, as the chain writes them', async () => {
    const wallet = await tokenWallet('10');
    const to = (address: string, chain?: string) => ({ destination: toAddress(address, chain) });
    expect(await made(send(wallet, 'USDC', '1', to(ADDRESS.toLowerCase())))).toMatchObject({
      destination: toAddress(ADDRESS),
    });
    for (const address of [
      ADDRESS.replace('5aA', '5Aa'),
      ADDRESS.slice(0, -1),
      ADDRESS.slice(2),
      `${ADDRESS} `,
      '0x0000000000000000000000000000000000000000',
      'vitalik.eth',
      '０x５',
    ]) {
      expect(await send(wallet, 'USDC', '1', to(address)), address).toMatchObject(
        refusal(422, 'invalid_address'),
      );
    }
    expect(
      await send(wallet, 'BTC', '1', to('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'bitcoin')),
    ).toMatchObject(refusal(503, 'chain_unavailable'));
    expect(await send(wallet, 'USD', '1')).toMatchObject(refusal(422, 'unprocessable'));
    expect(await send(wallet, 'USDC', '0.0000001')).toMatchObject(refusal(422, 'amount_too_precise'));
    expect(await send(wallet, 'DOGE', '1')).toMatchObject(refusal(404, 'asset_not_found'));
  });

  it('need an owner who is known', async () => {
    const wallet = await fundedWallet(maker, 'ETH', '2');
    expect(await send(wallet, 'ETH', '1', {}, maker)).toMatchObject(refusal(422, 'kyc_required'));
    await setLevel(maker, 1);
    const sent = await made(send(wallet, 'ETH', '1', {}, maker));
    await setLevel(maker, 0);
    expect(await send(wallet, 'ETH', '0.1', {}, maker)).toMatchObject(refusal(422, 'kyc_required'));
    const path = `/wallets/${wallet.wallet_id}/transfers/${sent.transfer_id}`;
    expect((await maker.delete(path)).status).toBe(200);
  });

  it('need the fee of the chain besides', async () => {
    const wallet = await fundedWallet(demo, 'USDC', '10');
    const refused = await send(wallet, 'USDC', '1');
    expect(refused).toMatchObject(refusal(422, 'insufficient_funds'));
    expect(refused.body.error.message).toContain('ETH');
    const exact = await fundedWallet(demo, 'ETH', '1');
    expect(await send(exact, 'ETH', '1')).toMatchObject(refusal(422, 'insufficient_funds'));
    expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['10', '0']);
  });

  it('never overdraw, twenty at once', async () => {
    const wallet = await tokenWallet('10');
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(wallet, 'USDC', '1.5')));
    expect([count(replies, 201), count(replies, 422)]).toEqual([6, 14]);
    expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['1', '9']);
    const listed = await demo.walk(`/wallets/${wallet.wallet_id}/transfers?status=pending`, 4);
    expect(listed).toHaveLength(6);
    await Promise.all(
      listed.map(({ transfer_id }) => demo.delete(`/wallets/${wallet.wallet_id}/transfers/${transfer_id}`)),
    );
    expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['10', '0']);
    expect(await balanceOf(demo, wallet.wallet_id, 'ETH')).toEqual(['1', '0']);
  });

  it('put all aside or nothing where the money goes at the same moment', async () => {
    // Enough tokens for all but gas for few: the first check passes for most, and the core refuses them.
    const wallet = await fundedWallet(demo, 'USDC', '100');
    const destination = toWallet(wallet.wallet_id);
    const { fee } = await made(send(await tokenWallet('1'), 'USDC', '1'));
    const gas = (Number(fee) * 2.5).toFixed(18);
    await made(demo.post('/accounts/me/transfers', { asset: 'ETH', amount: gas, destination }));
    const replies = await Promise.all(Array.from({ length: 12 }, () => send(wallet, 'USDC', '1')));
    expect([count(replies, 201), count(replies, 422)]).toEqual([2, 10]);
    expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['98', '2']);
    await expectBalancedBooks(operator);
  });

  it('stay within the limit of a day, ten at once, from however many wallets', async () => {
    await setLevel(maker, 1);
    const wallets = [await fundedWallet(maker, 'ETH', '16'), await fundedWallet(maker, 'ETH', '16')];
    const [first] = wallets as [Json];
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, place) => send(wallets[place % 2], 'ETH', '2.8', {}, maker)),
    );
    expect(count(replies, 201)).toBe(4);
    for (const reply of replies.filter(({ status }) => status !== 201)) {
      expect(reply).toMatchObject(refusal(422, 'limit_exceeded'));
    }
    expect((await send(first, 'ETH', '0.9', {}, maker)).body.error.message).toContain('0.8 is left');
    const { source, transfer_id } = replies.find(({ status }) => status === 201)!.body;
    await maker.delete(`/wallets/${source.wallet_id}/transfers/${transfer_id}`);
    await made(send(first, 'ETH', '3.6', {}, maker));
    // A new wallet does not bypass the limit; another owner has a separate limit.
    for (const wallet of [...wallets, await fundedWallet(maker, 'ETH', '4')]) {
      expect(await send(wallet, 'ETH', '0.000000000000000001', {}, maker)).toMatchObject(
        refusal(422, 'limit_exceeded'),
      );
    }
    await setLevel(maker, 0);
    await made(send(await fundedWallet(demo, 'ETH', '2'), 'ETH', '1'));
  });

  describe('that a process left half done', () => {
    /** The core does not answer its next request. */
    const silence = () =>
      vi
        .spyOn(app.app.nest.get(CoreService), 'submit')
        .mockRejectedValueOnce(new ServiceFailure('temporarily_unavailable', 'Not now.'));
    const sweep = () => app.app.nest.get(DueCommands).sweep(0);

    it('are held by the sweep before anything is sent', async () => {
      const wallet = await fundedWallet(demo, 'ETH', '2');
      const silent = silence();
      expect(await send(wallet, 'ETH', '1')).toMatchObject(refusal(503, 'outcome_unknown'));
      silent.mockRestore();
      expect((await demo.get(`/wallets/${wallet.wallet_id}/transfers?direction=out`)).body.data).toEqual([]);
      await sweep();
      const [sent] = (await demo.get(`/wallets/${wallet.wallet_id}/transfers?direction=out`)).body.data;
      expect(sent.status).toBe('pending');
      expect((await balanceOf(demo, wallet.wallet_id, 'ETH'))[1]).not.toBe('0');
    });

    it('are given back by the sweep, once', async () => {
      const wallet = await tokenWallet('10');
      const sent = await made(send(wallet, 'USDC', '4'));
      const silent = silence();
      const path = `/wallets/${wallet.wallet_id}/transfers/${sent.transfer_id}`;
      expect(await demo.delete(path)).toMatchObject({ status: 200, body: { status: 'cancelled' } });
      silent.mockRestore();
      expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['6', '4']);
      await Promise.all([sweep(), sweep(), sweep()]);
      expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['10', '0']);
      expect(await balanceOf(demo, wallet.wallet_id, 'ETH')).toEqual(['1', '0']);
    });

    it('are paid by the sweep, once', async () => {
      const wallet = await tokenWallet('10');
      const id = numberOf(await made(send(wallet, 'USDC', '4')));
      await chain.broadcasting(id, '0xff');
      const end = { txHash: '0xff', feePaid: amountOf('0.000001'), confirmations: 1 };
      const silent = silence();
      await expect(chain.complete(id, end)).rejects.toThrow('Not now');
      silent.mockRestore();
      expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['6', '4']);
      await Promise.all([sweep(), chain.complete(id, end), sweep()]);
      expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['6', '0']);
      expect(await balanceOf(demo, wallet.wallet_id, 'ETH')).toEqual(['0.999999', '0']);
    });

    it('hold nothing where the fee is not there any more', async () => {
      const wallet = await tokenWallet('10');
      const silent = silence();
      expect(await send(wallet, 'USDC', '4', { client_transfer_id: 'poor' })).toMatchObject(
        refusal(503, 'outcome_unknown'),
      );
      silent.mockRestore();
      const away = { asset: 'ETH', amount: '1', destination: toWallet((await newWallet(maker)).wallet_id) };
      await made(demo.post(`/wallets/${wallet.wallet_id}/transfers`, away));
      await Promise.all([sweep(), sweep(), sweep()]);
      expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['10', '0']);
      expect(await send(wallet, 'USDC', '4', { client_transfer_id: 'poor' })).toMatchObject(
        refusal(422, 'insufficient_funds'),
      );
    });
  });

  describe('that are large', () => {
    it('wait for one decision of an operator', async () => {
      const wallet = await tokenWallet('5000');
      expect((await made(send(wallet, 'USDC', '1000'))).status).toBe('pending');
      const large = await made(send(wallet, 'USDC', '1000.000001'));
      expect(large.status).toBe('pending_approval');
      const waiting = await operator.walk('/admin/transfers?status=pending_approval', 1);
      expect(waiting.find(({ transfer_id }) => transfer_id === large.transfer_id)).toEqual({
        ...large,
        requested_by: 'client:demo',
        held: null,
      });
      expect((await chain.waiting('ethereum', 500)).map(({ transferId }) => transferId)).not.toContain(
        numberOf(large),
      );
      const path = `/admin/transfers/${large.transfer_id}`;
      const decisions = await Promise.all([
        operator.post(`${path}/approve`, {}),
        otherOperator.post(`${path}/approve`, {}),
        operator.post(`${path}/reject`, { reason: 'no' }),
        otherOperator.post(`${path}/reject`, { reason: 'no' }),
      ]);
      expect([count(decisions, 200), count(decisions, 409)]).toEqual([1, 3]);
      const { status, states } = await read(wallet, large);
      expect(['pending', 'rejected']).toContain(status);
      expect(states).toHaveLength(2);
    });

    it('go when approved, and come back when rejected', async () => {
      const wallet = await tokenWallet('5000');
      const [yes, no] = [await made(send(wallet, 'USDC', '2000')), await made(send(wallet, 'USDC', '2500'))];
      expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['500', '4500']);
      const key = { 'idempotency-key': 'approve-1' };
      const approved = await operator.post(`/admin/transfers/${yes.transfer_id}/approve`, {}, key);
      expect(approved).toMatchObject({ status: 200, body: { status: 'pending' } });
      expect(await operator.post(`/admin/transfers/${yes.transfer_id}/approve`, {}, key)).toMatchObject({
        status: 200,
        body: approved.body,
      });
      const reason = 'Sanctioned <script>';
      expect(await operator.post(`/admin/transfers/${no.transfer_id}/reject`, { reason })).toMatchObject({
        status: 200,
        body: { status: 'rejected', reason },
      });
      expect(await balanceOf(demo, wallet.wallet_id, 'USDC')).toEqual(['3000', '2000']);
      expect(await read(wallet, no)).toMatchObject({ status: 'rejected', reason, fee: '0' });
      expect(await operator.post(`/admin/transfers/${no.transfer_id}/reject`, {})).toMatchObject(
        refusal(400, 'validation_failed'),
      );
    });

    it('are counted for operators', async () => {
      const wallet = await tokenWallet('5000');
      await made(send(wallet, 'USDC', '1500'));
      const metrics = await app.app.nest.get(MetricsRegistry).render();
      expect(metrics).toMatch(/^tradepost_wallet_transfers_open\{status="pending_approval"\} [1-9]\d*$/m);
      expect(metrics).toMatch(/^tradepost_wallet_transfers_overdue 0$/m);
    });

    it('are not decided by who asked for them, nor by customers', async () => {
      // An operator with money: the operator's own wallet, funded by a gift.
      await setLevel(otherOperator, 1);
      const wallet = await newWallet(otherOperator);
      for (const [asset, amount] of [
        ['USDC', '5000'],
        ['ETH', '1'],
      ]) {
        await made(
          demo.post('/accounts/me/transfers', { asset, amount, destination: toWallet(wallet.wallet_id) }),
        );
      }
      const own = await made(send(wallet, 'USDC', '3000', {}, otherOperator));
      expect(own.status).toBe('pending_approval');
      for (const decision of ['approve', 'reject']) {
        const path = `/admin/transfers/${own.transfer_id}/${decision}`;
        const body = decision === 'reject' ? { reason: 'mine' } : {};
        expect(await otherOperator.post(path, body)).toMatchObject(refusal(403, 'forbidden'));
        expect(await demo.post(path, {})).toMatchObject(refusal(403, 'insufficient_scope'));
      }
      const open = await operator.get('/admin/approvals?kind=wallet_transfer&status=pending');
      const approval = open.body.data.find(({ subject }: Json) => subject.id === own.transfer_id);
      expect(approval).toMatchObject({
        summary: `Send 3000 USDC of admin over ethereum to ${ADDRESS}.`,
        proposed_by: 'user:1',
        expires_at: null,
      });
      const decision = `/admin/approvals/${approval.approval_id}/approve`;
      expect(await otherOperator.post(decision, {})).toMatchObject(refusal(403, 'same_person'));
      expect(await operator.post(`/admin/transfers/${own.transfer_id}/approve`, {})).toMatchObject({
        status: 200,
        body: { requested_by: 'user:1' },
      });
      expect(await operator.post(decision, {})).toMatchObject(refusal(409, 'approval_not_pending'));
      for (const id of ['trf_7ZZZZZZZZZZ', 'trf_1', 'x']) {
        expect(await operator.post(`/admin/transfers/${id}/approve`, {})).toMatchObject(
          refusal(404, 'not_found'),
        );
      }
      expect(await operator.get('/admin/transfers?status=gone')).toMatchObject(
        refusal(400, 'validation_failed'),
      );
    });
  });

  describe('of an owner with listed destinations', () => {
    it('go nowhere else, also when the list is empty again', async () => {
      const wallet = await tokenWallet('10');
      const path = `/wallets/${wallet.wallet_id}/destinations`;
      const listed = await made(
        demo.post(path, { chain: 'ethereum', address: ADDRESS.toLowerCase(), label: 'Cold' }),
      );
      expect(listed).toEqual({
        destination_id: expect.stringMatching(/^dst_/),
        chain: 'ethereum',
        address: ADDRESS,
        label: 'Cold',
        created_at: expect.any(String),
        effective_at: listed.created_at,
      });
      expect(await demo.post(path, { chain: 'ethereum', address: ADDRESS, label: 'Twice' })).toMatchObject(
        refusal(409, 'conflict'),
      );
      expect((await demo.get(path)).body.data).toEqual([listed]);
      await made(send(wallet, 'USDC', '1'));
      const elsewhere = { destination: toAddress(OTHER_ADDRESS) };
      expect(await send(wallet, 'USDC', '1', elsewhere)).toMatchObject(
        refusal(422, 'destination_not_allowed'),
      );
      // Transfers within the service need no listed destination.
      await made(send(wallet, 'USDC', '1', { destination: toWallet((await newWallet(maker)).wallet_id) }));
      expect((await demo.delete(`${path}/${listed.destination_id}`)).status).toBe(204);
      expect(await demo.delete(`${path}/${listed.destination_id}`)).toMatchObject(refusal(404, 'not_found'));
      expect((await demo.get(path)).body.data).toEqual([]);
      for (const more of [{}, elsewhere]) {
        expect(await send(wallet, 'USDC', '1', more)).toMatchObject(refusal(422, 'destination_not_allowed'));
      }
      // The owner's other wallets share the list, so they do not bypass it.
      const second = await tokenWallet('10');
      const secondPath = `/wallets/${second.wallet_id}/destinations`;
      for (const more of [{}, elsewhere]) {
        expect(await send(second, 'USDC', '1', more)).toMatchObject(refusal(422, 'destination_not_allowed'));
      }
      const another = await made(
        demo.post(secondPath, { chain: 'ethereum', address: OTHER_ADDRESS, label: 'New' }),
      );
      expect((await demo.get(path)).body.data).toEqual([another]);
      expect(await demo.post(path, { chain: 'ethereum', address: OTHER_ADDRESS, label: 'x' })).toMatchObject(
        refusal(409, 'conflict'),
      );
      await made(send(wallet, 'USDC', '1', elsewhere));
      await made(send(second, 'USDC', '1', elsewhere));
      expect((await demo.delete(`${path}/${another.destination_id}`)).status).toBe(204);
      expect((await demo.get(secondPath)).body.data).toEqual([]);
    });

    it('cannot be listed by others, nor be no addresses', async () => {
      const wallet = await newWallet(demo);
      const path = `/wallets/${wallet.wallet_id}/destinations`;
      const body = { chain: 'ethereum', address: ADDRESS, label: 'Mine' };
      const listed = await made(demo.post(path, body));
      for (const reply of [
        await maker.get(path),
        await maker.post(path, body),
        await maker.delete(`${path}/${listed.destination_id}`),
        await maker.delete(
          `/wallets/${(await newWallet(maker)).wallet_id}/destinations/${listed.destination_id}`,
        ),
        await demo.delete(`${path}/dst_7ZZZZZZZZZZ`),
      ]) {
        expect(reply).toMatchObject(refusal(404, 'not_found'));
      }
      expect(await demo.post(path, { ...body, address: '0x1' })).toMatchObject(
        refusal(422, 'invalid_address'),
      );
      expect(await demo.post(path, { ...body, chain: 'solana' })).toMatchObject(
        refusal(503, 'chain_unavailable'),
      );
      expect(await demo.post(path, { ...body, effective_at: '2020-01-01T00:00:00Z' })).toMatchObject(
        refusal(400, 'validation_failed'),
      );
      expect((await demo.get(path)).body.data).toEqual([listed]);
    });
  });
});

describe('newly listed destinations', () => {
  it('wait until they take effect', async () => {
    const app = await startTestApp({
      plugins: [QuietChainPlugin],
      environment: { WALLET_DESTINATION_WAIT_SECONDS: '3600' },
    });
    try {
      const demo = await callerFor(app.url, 'demo');
      const account = (await demo.get('/accounts')).body.data[0].account_id;
      await app.app.nest.get(CoreService).submit({
        commands: [{ type: 'set_kyc_level', accountId: ACCOUNT_IDS.parse(account)!, level: 1 }],
      });
      const wallet = await fundedWallet(demo, 'ETH', '2');
      const listed = await made(
        demo.post(`/wallets/${wallet.wallet_id}/destinations`, {
          chain: 'ethereum',
          address: ADDRESS,
          label: 'Cold',
        }),
      );
      expect(Date.parse(listed.effective_at) - Date.parse(listed.created_at)).toBe(3_600_000);
      const body = { asset: 'ETH', amount: '1', destination: toAddress(ADDRESS) };
      const send = () => demo.post(`/wallets/${wallet.wallet_id}/transfers`, body);
      await eventually(
        async () => (await send()).body.error.code !== 'chain_unavailable',
        'the chain is known',
      );
      const refused = await send();
      expect(refused).toMatchObject(refusal(422, 'destination_not_allowed'));
      expect(refused.body.error.message).toContain('effective_at');
      // Nor does a second wallet shorten the wait, whether it lists the destination or not.
      const second = await fundedWallet(demo, 'ETH', '2');
      expect(await demo.post(`/wallets/${second.wallet_id}/transfers`, body)).toMatchObject(
        refusal(422, 'destination_not_allowed'),
      );
      const again = { chain: 'ethereum', address: ADDRESS, label: 'Again' };
      expect(await demo.post(`/wallets/${second.wallet_id}/destinations`, again)).toMatchObject(
        refusal(409, 'conflict'),
      );
      await app.app.nest
        .get<DataSource>(getDataSourceToken())
        .query(`UPDATE wallet_destinations SET effective_at = now()`);
      await made(send());
    } finally {
      await app.close();
    }
  });
});
