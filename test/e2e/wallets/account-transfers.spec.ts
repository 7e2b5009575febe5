import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeCursor } from '../../../src/kit/http/pagination.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';

describe('transfers of a trading account', () => {
  let app: TestApp;
  let demo: Caller;
  let maker: Caller;
  let account: string;
  let makerAccount: string;
  let wallet: Json;
  /** Everything that left the account or arrived in it, as the answers of POST said; newest first. */
  const made: Json[] = [];

  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    [demo, maker] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'maker')]);
    [{ account_id: account }] = (await demo.get('/accounts')).body.data;
    [{ account_id: makerAccount }] = (await maker.get('/accounts')).body.data;
    wallet = (await demo.post('/wallets', { name: 'Savings' })).body;
    for (const asset of ['USD', 'EUR', 'USD']) {
      await move(demo, '/accounts/me', asset, '2', { type: 'wallet', wallet_id: wallet.wallet_id });
      await move(demo, `/wallets/${wallet.wallet_id}`, asset, '1', { type: 'account', account_id: account });
      await move(demo, '/accounts/me', asset, '3', { type: 'account', account_id: makerAccount }, 'out-');
      await move(maker, '/accounts/me', asset, '4', { type: 'account', account_id: account }, 'in-');
    }
  });

  afterAll(() => app.close());

  async function move(
    caller: Caller,
    source: string,
    asset: string,
    amount: string,
    destination: Json,
    id?: string,
  ): Promise<void> {
    const reply = await caller.post(`${source}/transfers`, {
      asset,
      amount,
      destination,
      ...(id !== undefined && { client_transfer_id: `${id}${made.length}` }),
    });
    expect(reply.status, JSON.stringify(reply.body)).toBe(201);
    made.unshift(reply.body);
    await new Promise((resolve) => setTimeout(resolve, 3));
  }

  /** The answer of POST as an end of the transfer sees it. */
  const seenBy = (accountId: string) => (transfer: Json) =>
    transfer.source.account_id === accountId
      ? transfer
      : { ...transfer, wallet_id: null, direction: 'in', client_transfer_id: null };

  it('are listed newest first with what POST answered, whatever the size of the page', async () => {
    const all = made.map(seenBy(account));
    for (const pageSize of [1, 5, 200]) {
      for (const id of ['me', account]) {
        expect(await demo.walk(`/accounts/${id}/transfers?`, pageSize)).toEqual(all);
      }
    }
    const ends = ({ source, destination }: Json) => [source.account_id, destination.account_id];
    expect(await maker.walk('/accounts/me/transfers?', 2)).toEqual(
      made.filter((transfer) => ends(transfer).includes(makerAccount)).map(seenBy(makerAccount)),
    );
  });

  it('are filtered', async () => {
    const all = made.map(seenBy(account));
    const { created_at: edge } = all[4]!;
    for (const [query, kept] of [
      ['direction=in', (one: Json) => one.direction === 'in'],
      ['direction=out', (one: Json) => one.direction === 'out'],
      ['asset=EUR', (one: Json) => one.asset === 'EUR'],
      ['asset=EUR&direction=in', (one: Json) => one.asset === 'EUR' && one.direction === 'in'],
      ['status=completed', () => true],
      ['status=failed', () => false],
      ['chain=ethereum', () => false],
      [`from=${edge}&asset=USD`, (one: Json) => one.created_at >= edge && one.asset === 'USD'],
      [`to=${edge}`, (one: Json) => one.created_at < edge],
    ] as const) {
      expect(await demo.walk(`/accounts/me/transfers?${query}`, 2), query).toEqual(all.filter(kept));
    }
  });

  it('are got one by one from either end, with their states', async () => {
    for (const transfer of made) {
      const { body } = await demo.get(`/accounts/me/transfers/${transfer.transfer_id}`);
      const { states, ...rest } = body;
      expect(rest).toEqual(seenBy(account)(transfer));
      expect(states.at(-1)).toMatchObject({ status: 'completed', reason: null });
    }
  });

  it('do not tell whether a foreign account or transfer exists', async () => {
    const own = made.find(({ source, wallet_id }) => source.account_id === account && wallet_id === null)!;
    for (const path of [
      `/accounts/${makerAccount}/transfers`,
      `/accounts/${makerAccount}/transfers/${own.transfer_id}`,
      '/accounts/acc_7ZZZZZZZZZZ/transfers',
      `/accounts/acc_7ZZZZZZZZZZ/transfers/${own.transfer_id}`,
      // The account of a wallet is read at the wallet.
      `/accounts/${wallet.account_id}/transfers`,
    ]) {
      expect(await demo.get(path), path).toMatchObject({
        status: 404,
        body: { error: { code: 'account_not_found' } },
      });
    }
    // Between the demo account and its wallet.
    const { transfer_id: foreign } = made.find(({ wallet_id }) => wallet_id !== null)!;
    const refusals = [];
    for (const id of [foreign, 'trf_7ZZZZZZZZZZ', 'ord_00000000001', '1', 'x'.repeat(300), '%F0%9F%98%80']) {
      const { status, body } = await maker.get(`/accounts/me/transfers/${id}`);
      expect(status, id).toBe(404);
      refusals.push(`${body.error.code}: ${body.error.message}`);
    }
    expect(new Set(refusals).size).toBe(1);
    expect((await maker.get(`/accounts/me/transfers/${foreign}`)).body.error.code).toBe('not_found');
  });

  it('need the scope of the account or of wallets', async () => {
    for (const [scope, status] of [
      ['account:read', 200],
      ['wallets:read', 200],
      ['markets:trade', 403],
      ['wallets:write', 403],
    ] as const) {
      const caller = await callerFor(app.url, 'demo', scope);
      expect((await caller.get('/accounts/me/transfers')).status, scope).toBe(status);
      expect((await caller.get(`/accounts/me/transfers/${made[0].transfer_id}`)).status, scope).toBe(status);
    }
  });

  it.each([
    'direction=up',
    'status=lost',
    'chain=doge',
    'asset=',
    'page=2',
    'limit=0',
    `cursor=${encodeCursor([1])}`,
    `cursor=${encodeCursor([Number.MAX_SAFE_INTEGER, 1])}`,
  ])('refuse %s', async (query) => {
    expect((await demo.get(`/accounts/me/transfers?${query}`)).status).toBe(400);
  });
});
