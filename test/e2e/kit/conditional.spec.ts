import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json, tokenFor } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';
import { addPet, petCaller, put } from '../../support/clients/pets-client.js';
import {
  operationsOf,
  readOpenApi,
  type NamedOperation,
  type OpenApiDocument,
} from '../../support/openapi.js';
import { rawAnswer, type RawAnswer } from '../../support/raw-answer.js';

const ORIGIN = 'https://shop.example';

/** What to read of the routes with parameters, and those that need a query. */
const SAMPLES: Readonly<Record<string, string>> = {
  '/markets/{market_id}': '/markets/BTC-USD',
  '/markets/{market_id}/settlements': '/markets/BTC-USD/settlements',
  '/markets/{market_id}/history/{day}': `/markets/BTC-USD/history/${yesterday()}`,
  '/blog/posts/{slug}': '/blog/posts/how-an-order-book-works',
  '/blog/pages/{slug}': '/blog/pages/about',
  '/pet/findByTags': '/pet/findByTags?tags=friendly',
};

function yesterday(): string {
  return new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
}

describe('what rarely changes', () => {
  let app: TestApp;
  let document: OpenApiDocument;
  let revalidated: NamedOperation[];
  let shop: Caller;
  let newsId: string;
  let token: string;

  beforeAll(async () => {
    app = await startTestApp({ corsOrigins: [ORIGIN] });
    document = await readOpenApi();
    revalidated = operationsOf(document).filter(({ responses }) => '304' in responses);
    shop = await petCaller(app);
    token = await tokenFor(app.url, 'pets-read-pets-write-pets');
    newsId = (await new Caller(app.url).get('/news')).body.data[0].news_id;
  });
  afterAll(() => app.close());

  const pathOf = async (path: string): Promise<string> => {
    if (path === '/news/{news_id}') return `/news/${newsId}`;
    if (path === '/pet/{petId}') return `/pet/${(await addPet(shop)).id}`;
    return SAMPLES[path] ?? path;
  };
  const read = (path: string, headers: Record<string, string> = {}): Promise<RawAnswer> =>
    rawAnswer(app.url + path, {
      ...(/^\/(?:pet|store)/.test(path) && { authorization: `Bearer ${token}` }),
      ...headers,
    });

  it('is among what the document lists', () => {
    expect(revalidated.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'GET /assets',
        'GET /markets',
        'GET /markets/{market_id}',
        'GET /markets/{market_id}/settlements',
        'GET /markets/{market_id}/history/{day}',
        'GET /news',
        'GET /blog/categories',
        'GET /pet/{petId}',
        'GET /pet/findByStatus',
        'GET /pet/findByTags',
        'GET /store/inventory',
      ]),
    );
  });

  it('is answered with 304 to whoever has it, with the headers that the document has', async () => {
    for (const { path: template, name, responses } of revalidated) {
      const path = await pathOf(template);
      const first = await read(path);
      expect(first.status, name).toBe(200);
      const etag = String(first.headers['etag']);
      expect(etag, name).toMatch(/^(?:W\/)?"[^"]+"$/);
      const documented = Object.keys(responses['304']!.headers!).map((header) => header.toLowerCase());
      for (const known of [etag, etag.replace('W/', ''), `"a", ${etag}`, '*']) {
        const again = await read(path, { 'if-none-match': known });
        expect(again.status, `${name} ${known}`).toBe(304);
        expect(again.bytes, name).toHaveLength(0);
        expect(again.headers['etag'], name).toBe(etag);
        expect(again.headers['cache-control'], name).toBe(first.headers['cache-control']);
        const sent = ['etag', 'cache-control', 'last-modified'].filter((header) => header in again.headers);
        expect(documented, name).toEqual(expect.arrayContaining(sent));
        const promised = documented.filter((header) => ['etag', 'last-modified'].includes(header));
        expect(sent, name).toEqual(expect.arrayContaining(promised));
      }
      for (const unknown of ['"a"', etag.slice(3, -1), '', '"a", '.repeat(1_500)]) {
        expect((await read(path, { 'if-none-match': unknown })).status, `${name} ${unknown}`).toBe(200);
      }
    }
  });

  it('is kept by shared caches only where everybody may read it', async () => {
    expect((await read('/markets')).headers['cache-control']).toBe('no-cache');
    expect((await read('/pet/findByStatus')).headers['cache-control']).toBe('private, no-cache');
    expect((await read('/store/inventory')).headers['cache-control']).toBe('private, no-cache');
  });

  it('is not told to whoever may not read it', async () => {
    const answer = await rawAnswer(`${app.url}/pet/findByStatus`, { 'if-none-match': '*' });
    expect(answer.status).toBe(401);
    expect(answer.headers).not.toHaveProperty('etag');
  });

  it('has another tag once it has changed', async () => {
    const pet = await addPet(shop, { name: 'Rex' });
    const [demo, maker] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'maker')]);
    const trade = async (): Promise<void> => {
      await maker.place(limit('BTC-USD', 'sell', '1', '0.001'));
      await demo.place(limit('BTC-USD', 'buy', '1000000', '0.001'));
    };
    const changes: [string, () => Promise<Json>][] = [
      [`/pet/${pet.id}`, () => put(shop, { ...pet, name: 'Max' })],
      ['/pet/findByStatus', () => addPet(shop)],
      ['/store/inventory', () => addPet(shop)],
      ['/markets/BTC-USD', trade],
      ['/markets', trade],
    ];
    for (const [path, change] of changes) {
      const known = { 'if-none-match': String((await read(path)).headers['etag']) };
      expect((await read(path, known)).status, path).toBe(304);
      await change();
      expect((await read(path, known)).status, path).toBe(200);
    }
  });

  it('may be asked for by pages of other origins, which may read all headers of the document', async () => {
    const { headers } = await read('/markets', { origin: ORIGIN });
    const exposed = String(headers['access-control-expose-headers']).split(',');
    // A component, and no header.
    expect(exposed).not.toContain('Challenge');
    for (const { name, responses } of operationsOf(document)) {
      for (const response of Object.values(responses)) {
        expect(exposed, name).toEqual(expect.arrayContaining(Object.keys(response.headers ?? {})));
      }
    }
    const asked = 'if-none-match,if-match,idempotency-key';
    const preflight = await rawAnswer(
      `${app.url}/markets`,
      {
        origin: ORIGIN,
        'access-control-request-method': 'GET',
        'access-control-request-headers': asked,
      },
      'OPTIONS',
    );
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toBe(asked);
  });
});
