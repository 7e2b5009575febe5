import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import type { Caller, Json } from '../../support/caller.js';
import { logIn, UserCaller } from '../../support/clients/users-client.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
});

afterAll(async () => {
  await app?.close();
});

async function totals(caller: Caller): Promise<Record<string, string>> {
  const { body } = await caller.get('/accounts/me/balances');
  return Object.fromEntries(body.data.map(({ asset, total }: Json) => [asset, total]));
}

describe('POST /demo/deposits', () => {
  it('gives an account demo money once, which the ledger accounts for', async () => {
    const alice = await logIn(app, 'alice');
    const { status, body } = await alice.post('/demo/deposits', {});
    expect(status).toBe(201);
    expect(body.account_id).toMatch(/^acc_/);
    expect(body.deposits).toContainEqual({ asset: 'USD', amount: '100000' });
    expect(await totals(alice)).toMatchObject({ USD: '100000', BTC: '1' });
    expect((await alice.post('/demo/deposits', {})).body.error.code).toBe('conflict');
    expect(await totals(alice)).toMatchObject({ USD: '100000', BTC: '1' });
    const operator = await logIn(app, 'admin');
    expect((await operator.get('/admin/ledger/check')).body).toMatchObject({ balanced: true, problems: [] });
  });

  it('moves money once, however many ask at the same time', async () => {
    const bob = await logIn(app, 'bob');
    const answers = await Promise.all(Array.from({ length: 10 }, () => bob.post('/demo/deposits', {})));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(9).fill(409)]);
    expect(await totals(bob)).toMatchObject({ USD: '100000', BTC: '1' });
  });

  it('takes no amount, account or asset from the caller', async () => {
    const operator = await logIn(app, 'admin');
    const wishes = { account_id: 'acc_00000000001', asset: 'BTC', amount: '1000000' };
    const { status, body } = await operator.post('/demo/deposits', wishes);
    if (status === 201) expect(body.account_id).not.toBe('acc_00000000001');
    else expect(status).toBe(400);
  });

  it('is for those who may trade', async () => {
    expect((await new UserCaller(app.url).post('/demo/deposits', {})).status).toBe(401);
    expect((await new UserCaller(app.url).withApiKey('special-key').post('/demo/deposits', {})).status).toBe(
      403,
    );
  });

  it('is not there without demo data', async () => {
    const database = await createDemoDatabase();
    const bare = await startTestApp({ databaseUrl: database.url, seedDemo: false });
    try {
      const { status, body } = await (await logIn(bare, 'alice')).post('/demo/deposits', {});
      expect([status, body.error.code]).toEqual([404, 'not_found']);
    } finally {
      await bare.close();
      await database.drop();
    }
  });
});
