import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoDatabase, startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor } from '../../support/caller.js';
import type { TestDatabase } from '../../support/database.js';
import { logIn, refusalOf } from '../../support/clients/users-client.js';

describe('a service of some groups', () => {
  let database: TestDatabase;
  let app: TestApp;
  beforeAll(async () => {
    database = await createDemoDatabase();
    app = await startTestApp({ databaseUrl: database.url, groups: ['store', 'pets'] });
  });
  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  it('has their routes, and those of what all groups stand on', async () => {
    const demo = await callerFor(app.url, 'demo');
    expect((await demo.get('/pet/1')).body).toMatchObject({ id: 1, name: 'Rex' });
    expect((await demo.post('/store/order', { petId: 1, quantity: 1 })).status).toBe(200);
    expect((await (await logIn(app, 'alice')).get('/user/alice')).status).toBe(200);
    expect((await demo.get('/health')).body).toEqual({ status: 'ok' });
  });

  it.each(['/markets', '/news', '/blog/posts', '/chat/rooms', '/wallets', '/kyc', '/proof/journal/heads'])(
    'has no route %s',
    async (path) => {
      expect(refusalOf(await (await callerFor(app.url, 'demo')).get(path))).toBe('404 route_not_found');
    },
  );

  it('describes nothing of the others', async () => {
    const guest = new Caller(app.url);
    const { body: openApi } = await guest.get('/openapi.json');
    // Limits of one's own trading, demo money and webhooks are of what all groups stand on.
    expect(openApi.tags.map(({ name }: { name: string }) => name)).toEqual([
      'Pets',
      'Store',
      'Users',
      'Auth',
      'Markets',
      'Exchange',
      'News',
      'Admin',
    ]);
    const roots = new Set(Object.keys(openApi.paths).map((path) => path.split('/')[1]));
    for (const root of ['markets', 'orders', 'blog', 'chat', 'wallets', 'kyc', 'payouts', 'proof'])
      expect(roots).not.toContain(root);
    expect(openApi.paths).not.toHaveProperty(['/news']);
    expect(JSON.stringify(openApi.webhooks)).not.toMatch(/news\.published|order\.filled|chat\./);
    const { body: asyncApi } = await guest.get('/asyncapi.json');
    expect(JSON.stringify(asyncApi.channels ?? {})).not.toMatch(/chat|markets|news/);
  });

  it('gives way to one of all groups on the same database', async () => {
    await app.close();
    app = await startTestApp({ databaseUrl: database.url });
    const demo = await callerFor(app.url, 'demo');
    expect((await demo.get('/health')).body).toEqual({ status: 'ok' });
    for (const path of ['/pet/1', '/markets', '/news', '/chat/rooms'])
      expect((await demo.get(path)).status, path).toBe(200);
  });
});
