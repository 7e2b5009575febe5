import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import { callerFor, type Caller, type Json } from '../../support/caller.js';
import { expectBalancedBooks } from '../../support/clients/markets-client.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';

let app: TestApp;
let demo: Caller;
let maker: Caller;
let operator: Caller;
beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off', plugins: [QuietChainPlugin] });
  [demo, maker, operator] = await Promise.all([
    callerFor(app.url, 'demo'),
    callerFor(app.url, 'maker'),
    callerFor(app.url, 'admin'),
  ]);
  await eventually(async () => (await query('SELECT FROM chains')).length > 0, 'ethereum is known');
});
afterAll(async () => {
  await expectBalancedBooks(operator);
  await app.close();
});

const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
  queryOnce<Json>(app.config.databaseUrl!, text, values);

async function newWallet(owner: Caller, name = 'Treasury'): Promise<Json> {
  const reply = await owner.post('/wallets', { name });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

async function newAddress(
  owner: Caller,
  walletId: string,
  chain = 'ethereum',
  more: Json = {},
): Promise<Json> {
  const purpose = chain === 'ethereum' ? 'deposit' : 'signing';
  const reply = await owner.post(`/wallets/${walletId}/addresses`, { chain, purpose, ...more });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

describe('a wallet', () => {
  it('is made with an account of its own and nothing in it', async () => {
    const wallet = await newWallet(demo, 'Savings');
    expect(wallet).toEqual({
      wallet_id: expect.stringMatching(/^wlt_[0-9A-Z]{11}$/),
      account_id: expect.stringMatching(/^acc_[0-9A-Z]{11}$/),
      name: 'Savings',
      balances: [],
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await demo.get(`/wallets/${wallet.wallet_id}`)).body).toEqual(wallet);
    const accounts = await demo.walk('/accounts', 200);
    expect(accounts.find(({ account_id }) => account_id === wallet.account_id)).toMatchObject({
      kind: 'wallet',
      name: 'Savings',
    });
  });

  it('shows what its account has', async () => {
    const wallet = await newWallet(demo);
    for (const [asset, amount] of [
      ['USDC', '12.5'],
      ['ETH', '0.000000000000000001'],
    ]) {
      const deposit = { asset, amount, reference: 'test' };
      expect((await operator.post(`/admin/accounts/${wallet.account_id}/deposits`, deposit)).status).toBe(
        201,
      );
    }
    const balances = [
      { asset: 'ETH', available: '0.000000000000000001', held: '0', total: '0.000000000000000001' },
      { asset: 'USDC', available: '12.5', held: '0', total: '12.5' },
    ];
    expect((await demo.get(`/wallets/${wallet.wallet_id}`)).body.balances).toEqual(balances);
    const listed = await demo.walk('/wallets', 200);
    expect(listed.find(({ wallet_id }) => wallet_id === wallet.wallet_id).balances).toEqual(balances);
  });

  it('is listed with its owner’s others, newest first, page by page', async () => {
    const made = [
      await newWallet(maker, 'one'),
      await newWallet(maker, 'two'),
      await newWallet(maker, 'three'),
    ];
    const listed = await maker.walk('/wallets', 2);
    expect(listed.slice(0, 3)).toEqual(made.reverse());
    expect((await maker.get('/wallets?cursor=x')).body.error.code).toBe('invalid_cursor');
  });

  it('is made once for one Idempotency-Key, also by many at once', async () => {
    const key = { 'idempotency-key': 'one wallet' };
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => demo.post('/wallets', { name: 'Once' }, key)),
    );
    const ids = new Set(replies.map(({ body }) => body.wallet_id));
    expect(ids.size).toBe(1);
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(9);
    expect((await demo.post('/wallets', { name: 'Other' }, key)).body.error.code).toBe(
      'idempotency_key_reused',
    );
    // The refused requests leave no key behind.
    const [count] = await query(
      `SELECT count(*) FROM vault_data_keys WHERE context LIKE 'wallets.%'
       AND NOT EXISTS (SELECT FROM wallets WHERE context = 'wallets.sealed_seed:' || wallet_id)`,
    );
    expect(count).toEqual({ count: '0' });
  });

  it('is one of a thousand at most', async () => {
    await query(
      `INSERT INTO wallets (account_id, owner, name, sealed_seed)
       SELECT -n, 'client:maker', 'Filler', '' FROM generate_series(1, 1000) n`,
    );
    expect(await maker.post('/wallets', { name: 'One more' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    await query(`DELETE FROM wallets WHERE name = 'Filler'`);
    await newWallet(maker);
  });

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name that is too long', { name: 'x'.repeat(101) }],
    ['a name with control characters', { name: 'a\u202eb' }],
    ['a number as name', { name: 7 }],
    ['an unknown field', { name: 'a', seed: 'b' }],
  ])('is refused with %s', async (_what, body) => {
    const reply = await demo.post('/wallets', body);
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
  });

  it('does not exist for anybody else', async () => {
    const { wallet_id } = await newWallet(demo);
    for (const path of ['', '/addresses']) {
      const foreign = await maker.get(`/wallets/${wallet_id}${path}`);
      const missing = await maker.get(`/wallets/wlt_7ZZZZZZZZZZ${path}`);
      expect(foreign.status).toBe(404);
      expect({ ...foreign.body.error, request_id: '' }).toEqual({ ...missing.body.error, request_id: '' });
    }
    expect((await maker.post(`/wallets/${wallet_id}/addresses`, { chain: 'ethereum' })).status).toBe(404);
    for (const id of ['nothing', 'wlt_', 'wlt_0000000000', '1', 'wlt_ZZZZZZZZZZZ']) {
      expect((await demo.get(`/wallets/${id}`)).status).toBe(404);
    }
  });

  it('needs the scopes of wallets', async () => {
    const reader = await callerFor(app.url, 'demo', 'wallets:read');
    const { wallet_id } = await newWallet(demo);
    expect((await reader.get(`/wallets/${wallet_id}`)).status).toBe(200);
    expect((await reader.post('/wallets', { name: 'a' })).status).toBe(403);
    expect((await reader.post(`/wallets/${wallet_id}/addresses`, { chain: 'ethereum' })).status).toBe(403);
    const writer = await callerFor(app.url, 'demo', 'wallets:write');
    expect((await writer.get(`/wallets/${wallet_id}`)).status).toBe(403);
  });
});

describe('an address', () => {
  it.each([
    ['ethereum', "m/44'/60'/0'/0/", /^0x[0-9a-fA-F]{40}$/, /^0x0[23][0-9a-f]{64}$/],
    ['bitcoin', "m/84'/0'/0'/0/", /^bc1q[02-9ac-hj-np-z]{38}$/, /^0[23][0-9a-f]{64}$/],
    ['solana', "m/44'/501'/", /^[1-9A-HJ-NP-Za-km-z]{32,44}$/, /^[1-9A-HJ-NP-Za-km-z]{32,44}$/],
  ])('of %s is the next one of its chain', async (chain, prefix, address, publicKey) => {
    const { wallet_id } = await newWallet(demo);
    const made = [];
    for (let i = 0; i < 3; i++) made.push(await newAddress(demo, wallet_id, chain));
    made.forEach((one, i) => {
      expect(one).toEqual({
        address_id: expect.stringMatching(/^adr_[0-9A-Z]{11}$/),
        chain,
        purpose: chain === 'ethereum' ? 'deposit' : 'signing',
        deposit_minimums:
          chain === 'ethereum'
            ? [
                { asset: 'ETH', minimum: '0.01' },
                { asset: 'USDC', minimum: '0' },
              ]
            : [],
        address: expect.stringMatching(address),
        derivation_path: chain === 'solana' ? `${prefix}${i}'/0'` : `${prefix}${i}`,
        public_key: expect.stringMatching(publicKey),
        label: null,
        gap: i + 1,
        created_at: expect.any(String),
      });
    });
    expect(new Set(made.map((one) => one.address)).size).toBe(3);
  });

  it('is given out to receive at only where what arrives is credited; elsewhere a key only signs, and says so', async () => {
    const { wallet_id } = await newWallet(demo);
    const path = `/wallets/${wallet_id}/addresses`;
    for (const chain of ['bitcoin', 'solana']) {
      for (const purpose of [{}, { purpose: 'deposit' }]) {
        expect(await demo.post(path, { chain, ...purpose })).toMatchObject({
          status: 409,
          body: { error: { code: 'chain_not_connected' } },
        });
      }
      const signer = await newAddress(demo, wallet_id, chain);
      expect(signer).toMatchObject({ chain, purpose: 'signing' });
      const signature = { address: signer.address, type: 'raw', payload: 'mine' };
      expect((await demo.post(`/wallets/${wallet_id}/sign`, signature)).status).toBe(200);
    }
    expect((await demo.post(path, { chain: 'ethereum' })).body).toMatchObject({ purpose: 'deposit' });
    expect(await newAddress(demo, wallet_id, 'ethereum', { purpose: 'signing' })).toMatchObject({
      purpose: 'signing',
    });
  });

  it('that was given out before its chain was disconnected is shown as one that only signs', async () => {
    const { wallet_id } = await newWallet(demo);
    const path = `/wallets/${wallet_id}/addresses`;
    await newAddress(demo, wallet_id, 'ethereum');
    const again = await startTestApp({ databaseUrl: app.config.databaseUrl!, rateLimits: 'off' });
    try {
      const there = await callerFor(again.url, 'demo');
      expect((await there.get(path)).body.data).toMatchObject([{ chain: 'ethereum', purpose: 'signing' }]);
      expect((await there.post(path, { chain: 'ethereum' })).body.error.code).toBe('chain_not_connected');
    } finally {
      await again.close();
    }
    expect((await demo.get(path)).body.data).toMatchObject([{ purpose: 'deposit' }]);
  });

  it('is given out to receive at once its chain has been seen, and not before', async () => {
    const { wallet_id } = await newWallet(demo);
    const path = `/wallets/${wallet_id}/addresses`;
    await query('ALTER TABLE chains RENAME TO chains_unseen; CREATE TABLE chains (LIKE chains_unseen)');
    try {
      expect((await demo.post(path, { chain: 'ethereum' })).body.error.code).toBe('chain_unavailable');
      expect((await demo.post(path, { chain: 'ethereum', purpose: 'signing' })).status).toBe(201);
    } finally {
      await query('DROP TABLE chains; ALTER TABLE chains_unseen RENAME TO chains');
    }
  });

  it('keeps its label, and is listed by chain, newest first', async () => {
    const { wallet_id } = await newWallet(demo);
    const first = await newAddress(demo, wallet_id, 'ethereum', { label: 'Customer 1 – ü' });
    const second = await newAddress(demo, wallet_id, 'solana');
    const third = await newAddress(demo, wallet_id, 'ethereum', { label: null });
    const listed = [third, second, first].map(({ gap: _gap, ...address }) => address);
    expect(await demo.walk(`/wallets/${wallet_id}/addresses`, 1)).toEqual(listed);
    expect(await demo.walk(`/wallets/${wallet_id}/addresses?chain=ethereum`, 1)).toEqual([
      listed[0],
      listed[2],
    ]);
    expect((await demo.get(`/wallets/${wallet_id}/addresses?chain=dogecoin`)).status).toBe(400);
    expect(first.label).toBe('Customer 1 – ü');
  });

  it('is never given out twice, however many ask at once', async () => {
    const { wallet_id } = await newWallet(demo);
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, i) => newAddress(demo, wallet_id, i % 3 === 0 ? 'bitcoin' : 'ethereum')),
    );
    for (const [chain, count] of [
      ['ethereum', 20],
      ['bitcoin', 10],
    ] as const) {
      const indexes = made
        .filter((one) => one.chain === chain)
        .map((one) => Number(one.derivation_path.split('/').at(-1)))
        .sort((a, b) => a - b);
      expect(indexes).toEqual(Array.from({ length: count }, (_, i) => i));
    }
    expect(new Set(made.map((one) => one.address)).size).toBe(30);
  });

  it('is made once for one Idempotency-Key', async () => {
    const { wallet_id } = await newWallet(demo);
    const key = { 'idempotency-key': `address of ${wallet_id}` };
    const path = `/wallets/${wallet_id}/addresses`;
    const first = await demo.post(path, { chain: 'ethereum' }, key);
    const again = await demo.post(path, { chain: 'ethereum' }, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await demo.walk(path, 200)).toHaveLength(1);
  });

  it('is one of a hundred thousand of its chain at most', async () => {
    const { wallet_id } = await newWallet(demo);
    const { address } = await newAddress(demo, wallet_id);
    await query('UPDATE wallet_addresses SET derivation_index = 99999 WHERE address = $1', [address]);
    expect(await demo.post(`/wallets/${wallet_id}/addresses`, { chain: 'ethereum' })).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    });
    await newAddress(demo, wallet_id, 'solana');
  });

  it('tells how many in a row have never received money', async () => {
    const { wallet_id } = await newWallet(demo);
    await newAddress(demo, wallet_id);
    const second = await newAddress(demo, wallet_id);
    await query('UPDATE wallet_addresses SET funded_at = now() WHERE address = $1', [second.address]);
    expect((await newAddress(demo, wallet_id)).gap).toBe(1);
    expect((await newAddress(demo, wallet_id)).gap).toBe(2);
    expect((await newAddress(demo, wallet_id, 'solana')).gap).toBe(1);
  });

  it.each([
    ['no chain', {}],
    ['an unknown chain', { chain: 'dogecoin' }],
    ['a chain of another kind', { chain: ['ethereum'] }],
    ['an unknown purpose', { chain: 'ethereum', purpose: 'receiving' }],
    ['a label that is too long', { chain: 'ethereum', label: 'x'.repeat(101) }],
    ['an index of its own', { chain: 'ethereum', derivation_path: "m/44'/60'/0'/0/7" }],
  ])('is refused with %s', async (_what, body) => {
    const { wallet_id } = await newWallet(demo);
    expect(await demo.post(`/wallets/${wallet_id}/addresses`, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed' } },
    });
  });
});

describe('stored seeds', () => {
  it('open for no other wallet', async () => {
    const one = await newWallet(demo, 'one');
    const other = await newWallet(demo, 'other');
    const mine = await newAddress(demo, one.wallet_id);
    await query(
      `UPDATE wallets SET sealed_seed = swapped.sealed_seed FROM wallets swapped
       WHERE wallets.name IN ('one', 'other') AND swapped.name IN ('one', 'other') AND wallets.name <> swapped.name
         AND wallets.owner = swapped.owner AND wallets.owner = 'client:demo'`,
    );
    for (const { wallet_id } of [one, other]) {
      const reply = await demo.post(`/wallets/${wallet_id}/addresses`, { chain: 'ethereum' });
      expect(reply).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    }
    expect(await demo.walk(`/wallets/${one.wallet_id}/addresses`, 200)).toEqual([
      expect.objectContaining({ address: mine.address }),
    ]);
  });
});

describe('a start', () => {
  it('completes the wallets that were cut short', async () => {
    const { wallet_id, account_id, name } = await newWallet(demo, 'Cut short');
    await query('DELETE FROM wallets WHERE name = $1', [name]);
    expect((await demo.get(`/wallets/${wallet_id}`)).status).toBe(404);
    const again = await startTestApp({ databaseUrl: app.config.databaseUrl!, rateLimits: 'off' });
    try {
      const wallets = await demo.walk('/wallets', 200);
      const completed = wallets.find((wallet) => wallet.account_id === account_id);
      expect(completed).toMatchObject({ name: 'Cut short', balances: [] });
      await newAddress(demo, completed.wallet_id);
    } finally {
      await again.close();
    }
  });
});
