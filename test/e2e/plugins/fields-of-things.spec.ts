import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  bool,
  decimal,
  integer,
  oneOf,
  text,
  TradepostPlugin,
  type FieldDeclaration,
} from '../../../src/index.js';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json, loggedIn, tokenFor } from '../../support/caller.js';
import { queryOnce } from '../../support/core.js';
import type { TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

const FIELDS: readonly FieldDeclaration[] = (['users', 'accounts', 'markets'] as const).flatMap(
  (on) =>
    [
      { on, name: 'acme_desk', type: text(20), filterable: true },
      { on, name: 'acme_rank', type: integer, writableBy: 'operators', filterable: true },
      {
        on,
        name: 'acme_tier',
        type: oneOf('gold', 'iron'),
        writableBy: 'operators',
        readableBy: 'operators',
      },
      { on, name: 'acme_secret', type: bool, writableBy: 'plugin', readableBy: 'plugin' },
      { on, name: 'acme_limit', type: decimal, writableBy: 'operators' },
    ] satisfies FieldDeclaration[],
);

@TradepostPlugin({ name: 'acme', compatibility: '>=0.1.0', fields: FIELDS })
class AcmePlugin {}

const NOTHING = { acme_desk: null, acme_rank: null, acme_limit: null };

describe('fields of a plugin on users, accounts and markets', () => {
  let database: TestDatabase;
  let service: TestApp;
  let admin: Caller;
  let alice: Caller;
  let bob: Caller;
  const start = async (plugins: AppPlugins = [AcmePlugin]): Promise<void> => {
    service = await startTestApp({ databaseUrl: database.url, plugins });
    admin = await loggedIn(service.url, 'admin');
    alice = await loggedIn(service.url, 'alice');
    bob = await loggedIn(service.url, 'bob');
  };
  beforeAll(async () => {
    database = await createDemoDatabase();
    await start();
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  const done = async (reply: Promise<{ status: number; body: Json }>, status = 200): Promise<Json> => {
    const { status: was, body } = await reply;
    expect(was, JSON.stringify(body)).toBe(status);
    return body;
  };
  const put = (caller: Caller, path: string, body: object) => caller.send('PUT', path, JSON.stringify(body));
  const refused = async (reply: Promise<{ status: number; body: Json }>, field: string): Promise<void> => {
    expect(await reply).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed', details: [{ field }] } },
    });
  };
  const csvOf = async (path: string): Promise<string[]> => {
    const token = await tokenFor(service.url, 'admin');
    const headers = { accept: 'text/csv', authorization: `Bearer ${token}` };
    return (await (await fetch(service.url + path, { headers })).text()).split('\r\n');
  };

  it('are on users: their own and those of operators', async () => {
    const own = await done(alice.get('/user/alice'));
    expect(own).toMatchObject(NOTHING);
    expect(own).not.toHaveProperty('acme_tier');
    await done(put(alice, '/user/alice', { acme_desk: 'fx', firstName: 'Alice' }));
    await refused(put(alice, '/user/alice', { acme_rank: 1 }), 'acme_rank');
    await refused(put(alice, '/user/alice', { acme_tier: 'gold' }), 'acme_tier');
    await refused(put(alice, '/user/alice', { acme_secret: true }), 'acme_secret');
    await refused(put(admin, '/user/alice', { acme_secret: true }), 'acme_secret');
    await refused(put(alice, '/user/alice', { acme_desk: 'x'.repeat(21) }), 'acme_desk');
    expect((await put(bob, '/user/alice', { acme_desk: 'mine' })).status).toBe(404);

    const changed = await done(put(admin, '/user/alice', { acme_rank: 7, acme_tier: 'gold' }));
    expect(changed).toMatchObject({ acme_desk: 'fx', acme_rank: 7, acme_tier: 'gold', acme_limit: null });
    // What was answered may be sent back.
    const shown = await done(alice.get('/user/alice'));
    expect(shown).toMatchObject({ acme_desk: 'fx', acme_rank: 7, firstName: 'Alice' });
    expect(await done(put(alice, '/user/alice', { ...shown, acme_desk: 'fx2' }))).toMatchObject({
      acme_desk: 'fx2',
      acme_rank: 7,
    });
    await refused(put(alice, '/user/alice', { ...shown, acme_rank: 8 }), 'acme_rank');

    const users = await done(admin.get('/admin/users?acme_desk=fx2&acme_rank=7'));
    expect(users.data).toMatchObject([{ username: 'alice', acme_desk: 'fx2', acme_tier: 'gold' }]);
    expect((await done(admin.get('/admin/users?q=ali&acme_desk=fx2'))).data).toHaveLength(1);
    expect((await done(admin.get('/admin/users?q=ali&acme_desk=other'))).data).toEqual([]);
    expect(
      (await done(admin.get(`/admin/users?acme_desk=${encodeURIComponent("' OR 1=1 --")}`))).data,
    ).toEqual([]);
    expect((await admin.get('/admin/users?acme_limit=1')).status).toBe(400);
    const [header, row] = await csvOf('/admin/users?acme_desk=fx2');
    expect(header).toMatch(/,acme_desk,acme_rank,acme_tier,acme_limit$/);
    expect(row).toMatch(/^\d+,user:\d+,alice,.*,fx2,7,gold,$/);
  });

  it('are on users from the beginning, exported with them, and erased with them', async () => {
    await refused(
      alice.post('/user', { username: 'carl', password: 'carl-password', acme_rank: 1 }),
      'acme_rank',
    );
    await refused(
      alice.post('/user/createWithArray', [{ username: 'carl', password: 'carl-password', acme_desk: 1 }]),
      '0.acme_desk',
    );
    const made = await done(
      admin.post('/user', { username: 'carl', password: 'carl-password', acme_desk: 'rates' }),
    );
    expect(made).toMatchObject({ username: 'carl', acme_desk: 'rates' });
    const carl = await loggedIn(service.url, 'carl');
    await done(put(admin, '/user/carl', { acme_tier: 'iron' }));
    const stored = () =>
      queryOnce(database.url, `SELECT fields FROM stored_fields WHERE thing = 'users' AND id = '${made.id}'`);
    expect(await stored()).toEqual([{ fields: { acme_desk: 'rates', acme_tier: 'iron' } }]);
    expect(await done(carl.get('/user/carl'))).toMatchObject({ acme_desk: 'rates' });
    await done(admin.delete('/user/carl'));
    expect(await stored()).toEqual([]);
  });

  it('are on accounts', async () => {
    await refused(alice.post('/accounts', { name: 'Desk', acme_rank: 1 }), 'acme_rank');
    const opened = await done(alice.post('/accounts', { name: 'Desk', acme_desk: 'rates' }), 201);
    expect(opened).toMatchObject({ ...NOTHING, acme_desk: 'rates' });
    const given = { name: 'Desk', owner: 'alice', acme_desk: 'rates', acme_rank: -2, acme_limit: '1.50' };
    const made = await done(admin.post('/admin/accounts', given), 201);
    expect(made).toMatchObject({ acme_rank: -2, acme_limit: '1.5', acme_tier: null });
    const { data } = await done(alice.get('/accounts'));
    expect(data[0]).toMatchObject({ account_id: made.account_id, acme_rank: -2 });
    expect(data[0]).not.toHaveProperty('acme_tier');
    expect((await done(admin.get('/admin/accounts?acme_rank=-2'))).data).toMatchObject([
      { account_id: made.account_id, acme_limit: '1.5' },
    ]);
    for (const query of ['owner=alice&acme_desk=rates', 'q=de&acme_desk=rates'])
      expect((await done(admin.get(`/admin/accounts?${query}`))).data, query).toHaveLength(2);
    expect((await csvOf('/admin/accounts?acme_rank=-2'))[1]).toMatch(/,rates,-2,,1.5$/);
  });

  it('are changed on accounts by their owners and by operators', async () => {
    const { account_id: id } = await done(
      alice.post('/accounts', { name: 'Rates', acme_desk: 'rates' }),
      201,
    );
    const [own, ofAll] = [`/accounts/${id}`, `/admin/accounts/${id}`];
    expect(await done(alice.patch(own, { acme_desk: 'fx' }))).toMatchObject({
      account_id: id,
      role: 'owner',
      acme_desk: 'fx',
      acme_rank: null,
    });
    const byOperator = await done(admin.patch(ofAll, { acme_rank: 5, acme_tier: 'gold' }));
    expect(byOperator).toMatchObject({ acme_desk: 'fx', acme_rank: 5, acme_tier: 'gold' });
    const shown = await done(alice.patch(own, { acme_desk: null }));
    expect(shown).toMatchObject({ acme_desk: null, acme_rank: 5 });
    expect(shown).not.toHaveProperty('acme_tier');
    expect(await done(alice.patch(own, {}))).toEqual(shown);
    for (const [field, value] of [
      ['acme_rank', 5],
      ['acme_tier', 'iron'],
      ['acme_secret', true],
      ['acme_desk', 7],
      ['name', 'Other'],
      ['fields', { acme_secret: true }],
    ] as const)
      await refused(alice.patch(own, { [field]: value }), field);
    await refused(admin.patch(ofAll, { acme_secret: true }), 'acme_secret');

    expect((await bob.patch(own, { acme_desk: 'mine' })).body.error.code).toBe('account_not_found');
    expect((await admin.patch(own, { acme_desk: 'mine' })).body.error.code).toBe('account_not_found');
    expect((await alice.patch(ofAll, { acme_rank: 9 })).status).toBe(403);
    const client = await callerFor(service.url, 'demo');
    expect((await client.patch('/accounts/me', { acme_desk: 'mine' })).status).toBe(403);
    for (const other of ['acc_99999999999', 'acc_0', 'x'.repeat(3_000), '%F0%9F%98%80'])
      expect((await admin.patch(`/admin/accounts/${other}`, { acme_rank: 9 })).body.error.code).toBe(
        'account_not_found',
      );
    const audited = await done(admin.get(`/admin/audit?target=account:${id}`));
    expect(audited.data.map(({ details }: Json) => details.changed)).toContainEqual([
      'acme_rank',
      'acme_tier',
    ]);

    await Promise.all([
      ...[1, 2, 3].map((rank) => done(admin.patch(ofAll, { acme_rank: rank }))),
      ...['a', 'b', 'c'].map((desk) => done(alice.patch(own, { acme_desk: desk }))),
    ]);
    // Nobody's change is lost by that of another.
    const last = await done(admin.get(`/admin/accounts?q=Rates`));
    expect(last.data[0].acme_rank).toBeLessThan(4);
    expect(last.data[0]).toMatchObject({
      acme_desk: expect.stringMatching(/^[abc]$/) as string,
      acme_tier: 'gold',
    });
  });

  it('are on markets, for everybody to see', async () => {
    const market = {
      market_id: 'ACME-USD',
      kind: 'event',
      quote_asset: 'USD',
      tick_size: '0.01',
      lot_size: '1',
    };
    const made = await done(
      admin.post('/admin/markets', { ...market, acme_rank: 3, acme_tier: 'gold' }),
      201,
    );
    expect(made).toMatchObject({ acme_rank: 3, acme_tier: 'gold', acme_desk: null });
    const stranger = await done(alice.get('/markets/ACME-USD'));
    expect(stranger).toMatchObject({ acme_rank: 3, acme_desk: null });
    expect(stranger).not.toHaveProperty('acme_tier');
    expect(await done(admin.patch('/admin/markets/ACME-USD', { acme_desk: 'events' }))).toMatchObject({
      acme_desk: 'events',
      acme_rank: 3,
    });
    const both = await done(admin.patch('/admin/markets/ACME-USD', { title: 'Acme', acme_rank: 4 }));
    expect(both).toMatchObject({ title: 'Acme', acme_rank: 4 });
    await refused(admin.patch('/admin/markets/ACME-USD', { acme_secret: true }), 'acme_secret');
    await refused(admin.patch('/admin/markets/ACME-USD', { acme_rank: '4' }), 'acme_rank');
    expect((await alice.patch('/admin/markets/ACME-USD', { acme_rank: 9 })).status).toBe(403);
    expect((await admin.patch('/admin/markets/NONE', { acme_rank: 9 })).body.error.code).toBe(
      'market_not_found',
    );
    await eventually(async () =>
      expect((await done(alice.get('/markets?acme_rank=4'))).data).toMatchObject([{ market_id: 'ACME-USD' }]),
    );
    expect((await done(alice.get('/markets?acme_rank=5'))).data).toEqual([]);
    expect((await done(alice.get('/markets'))).data[0]).toHaveProperty('acme_desk');
  });

  it('are kept while their plugin is away, with what the service has changed meanwhile', async () => {
    await service.close();
    await start([]);
    expect(await done(alice.get('/user/alice'))).not.toHaveProperty('acme_desk');
    await refused(put(alice, '/user/alice', { acme_desk: 'x' }), 'acme_desk');
    await done(put(alice, '/user/alice', { firstName: 'Anna' }));
    expect(await done(alice.get('/markets/ACME-USD'))).not.toHaveProperty('acme_rank');
    expect((await alice.get('/markets?acme_rank=4')).status).toBe(400);
    await service.close();
    await start();
    expect(await done(alice.get('/user/alice'))).toMatchObject({ firstName: 'Anna', acme_desk: 'fx2' });
    expect(await done(alice.get('/markets/ACME-USD'))).toMatchObject({ acme_rank: 4 });
  });

  it('are in the document', async () => {
    const { schemas } = (await done(admin.get('/openapi.json'))).components;
    for (const name of ['UserDto', 'OperatorUserDto', 'ReachedAccountDto', 'OperatorAccountDto', 'MarketDto'])
      expect(schemas[name].properties.acme_rank, name).toMatchObject({ type: ['integer', 'null'] });
    for (const name of ['UpdateUserDto', 'CreateUserDto', 'UpdateMarketDto', 'CreateMarketDto'])
      expect(schemas[name].properties, name).toHaveProperty('acme_desk');
  });
});

type AppPlugins = NonNullable<Parameters<typeof startTestApp>[0]>['plugins'];
