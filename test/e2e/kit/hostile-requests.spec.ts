import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUDGETS, RateLimits } from '../../../src/kit/rate-limit/rate-limits.js';
import {
  ConnectionLimits,
  CONNECTIONS_PER_ADDRESS_MAX,
  CONNECTIONS_PER_PRINCIPAL_MAX,
} from '../../../src/kit/realtime/connection-limits.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { Caller, callerFor, type Json, type Reply, tokenFor } from '../../support/caller.js';
import { createMarket, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';
import { rawAnswer, type RawAnswer } from '../../support/raw-answer.js';

/** Behind a proxy, so that each test has its own address and budget. */
let app: TestApp;
let lastAddress = 0;

beforeAll(async () => {
  app = await startTestApp({ trustProxy: 1 });
});
afterAll(() => app.close());

function anAddress(): Record<string, string> {
  lastAddress++;
  return { 'x-forwarded-for': `198.51.100.${lastAddress}` };
}

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawAnswer> =>
  rawAnswer(app.url + path, headers, method);

/** Sends requests until one is rate-limited; returns all statuses in order. */
async function flood(times: number, one: () => Promise<{ readonly status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let left = times; left > 0; left -= 50) {
    const answers = await Promise.all(Array.from({ length: Math.min(50, left) }, one));
    statuses.push(...answers.map(({ status }) => status));
  }
  return statuses;
}

describe.each(['/openapi.json', '/asyncapi.json', '/docs/swagger-ui-bundle.js'])(
  'a flood of requests for %s',
  (path) => {
    it('gets what was made and compressed once, and its tag', async () => {
      const [plain, gzip, br, again] = await Promise.all([
        ask(path),
        ask(path, { 'accept-encoding': 'gzip' }),
        ask(path, { 'accept-encoding': 'gzip, deflate, br' }),
        ask(path, { 'accept-encoding': 'br;q=0, gzip;q=0' }),
      ]);
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(again.headers['content-encoding']).toBeUndefined();
      expect(gzip.headers['content-encoding']).toBe('gzip');
      expect(br.headers['content-encoding']).toBe('br');
      expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
      expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
      const tags = new Set([plain, gzip, br].map(({ headers }) => headers['etag']));
      expect(tags.size).toBe(3);
      for (const { headers, bytes } of [plain, gzip, br]) {
        expect(headers['vary']).toContain('Accept-Encoding');
        expect(headers['cache-control']).toBe('no-cache');
        expect(headers['etag']).toMatch(/^"[\w-]+"$/);
        expect(headers['content-length']).toBe(String(bytes.length));
      }
    });

    it('is told with 304 that nothing has changed', async () => {
      const { headers } = await ask(path, { 'accept-encoding': 'br' });
      const again = await ask(path, { 'accept-encoding': 'br', 'if-none-match': String(headers['etag']) });
      expect(again).toMatchObject({ status: 304, headers: { etag: headers['etag'] } });
      expect(again.bytes).toHaveLength(0);
      expect((await ask(path, { 'if-none-match': '"another"' })).status).toBe(200);
      const head = await ask(path, {}, 'HEAD');
      expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
      expect(head.bytes).toHaveLength(0);
    });

    it('comes out of the budget of reads', async () => {
      expect((await ask(path)).headers['ratelimit-policy']).toBe('"reads";q=2000;w=1');
    });
  },
);

describe('a flood from one address', () => {
  /** Spends most of the budget, so that the flood is short. */
  const begun = async (address: Record<string, string>): Promise<void> => {
    const limits = app.app.nest.get(RateLimits);
    const bucket = limits.addressBucketOf({ ip: address['x-forwarded-for'] } as never);
    await limits.consume('refusals', bucket, BUDGETS.refusals.points - 10);
  };

  it.each<[string, string, string, Json, number]>([
    ['paths that no route has', 'GET', '/no/such/route', {}, 404],
    ['methods that no route takes', 'PATCH', '/markets', {}, 405],
    ['requests without a credential', 'GET', '/orders', {}, 401],
    ['made-up tokens', 'GET', '/orders', { authorization: 'Bearer tpa_made-up' }, 401],
    ['made-up API keys', 'GET', '/pet/1', { api_key: 'made-up' }, 401],
    ['made-up tickets', 'GET', '/accounts/me/stream?ticket=made-up', {}, 401],
    ['forms of another type', 'POST', '/auth/token', { 'content-length': '2', 'content-type': 'x/y' }, 415],
  ])('of %s is told to wait, and its neighbours go on', async (_name, method, path, headers, status) => {
    const address = anAddress();
    const token = await tokenFor(app.url, 'demo');
    const known = { ...address, authorization: `Bearer ${token}` };
    expect((await ask('/orders', known)).status).toBe(200);
    await begun(address);
    let lastRefusal: RawAnswer | undefined;
    const statuses = await flood(50, async () => {
      const made =
        headers.authorization === undefined
          ? headers
          : { authorization: `${headers.authorization}${Math.random()}` };
      const answer = await fetch(app.url + path, {
        method,
        headers: { ...address, ...made, ...(status === 415 && { 'content-type': 'text/plain' }) },
        ...(status === 415 && { body: '{}' }),
      });
      await answer.text();
      if (answer.status === 429) {
        lastRefusal = {
          status: 429,
          headers: Object.fromEntries(answer.headers),
          bytes: Buffer.alloc(0),
        };
      }
      return answer;
    });
    expect(statuses[0]).toBe(status);
    expect(new Set(statuses)).toEqual(new Set([status, 429]));
    expect(lastRefusal!.headers).toMatchObject({
      'retry-after': expect.stringMatching(/^\d+$/),
      'ratelimit-policy': '"refusals";q=1000;w=10',
    });
    // Identified callers, public routes and other addresses are unaffected.
    expect((await ask('/orders', known)).status).toBe(200);
    expect((await ask('/markets', address)).status).toBe(200);
    expect(
      (await ask(path, { ...anAddress(), ...headers }, method === 'POST' ? 'GET' : method)).status,
    ).not.toBe(429);
  });

  it('of made-up credentials through sockets is told to wait too', async () => {
    const address = anAddress();
    const codes = new Set<string>();
    const refused = async (): Promise<{ status: number }> => {
      const socket = io(`${app.url}/account`, {
        transports: ['websocket'],
        forceNew: true,
        reconnection: false,
        extraHeaders: address,
        auth: { token: `made-up ${Math.random()}` },
      });
      const error = await new Promise<Json>((resolve) => socket.on('connect_error', resolve));
      socket.disconnect();
      codes.add(error.data.error.code);
      return { status: 0 };
    };
    await begun(address);
    await flood(50, refused);
    expect(codes).toEqual(new Set(['invalid_token', 'rate_limited']));
  });
});

describe('the budget of orders', () => {
  const many = (market: string, count: number): Json => ({
    orders: Array.from({ length: count }, () => limit(market, 'buy', '1', '0.001')),
  });

  it('is taken from by each order of a batch', async () => {
    const demo = await callerFor(app.url, 'demo');
    const market = await createMarket(await callerFor(app.url, 'admin'), 'BATCH-COST');
    const { status, headers } = await demo.post('/orders/batch', many(market, 100));
    expect(status).toBe(200);
    expect(headers.get('ratelimit')).toMatch(/^"orders";r=1900;t=1$/);
  });

  it('refuses a batch whole that does not fit, and takes nothing for it', async () => {
    const market = await createMarket(await callerFor(app.url, 'admin'), 'BATCH-FIT');
    const operator = await callerFor(app.url, 'admin');
    const owner = await aUserOf(operator, 'batcher');
    const replies: Reply[] = [];
    const refused = (): Reply[] => replies.filter(({ status }) => status === 429);
    // On a slow machine one burst may span several windows of the budget.
    await eventually(async () => {
      const burst = Array.from({ length: 40 }, () => owner.post('/orders/batch', many(market, 100)));
      replies.push(...(await Promise.all(burst)));
      expect(refused().length).toBeGreaterThan(0);
    });
    for (const { headers, body } of refused()) {
      expect(body.error.code).toBe('rate_limited');
      expect(headers.get('retry-after')).toBe('1');
    }
    const placed = replies.filter(({ status }) => status === 200).length;
    expect((await owner.walk(`/orders?market_id=${market}`, 200)).length).toBeLessThanOrEqual(placed * 100);
  });

  it('is one of the owner, whatever number of clients there are', async () => {
    const operator = await callerFor(app.url, 'admin');
    const owner = await aUserOf(operator, 'owner');
    const clients = await Promise.all(
      [1, 2].map(async (number) => {
        const { body } = await owner.post('/auth/clients', {
          name: `Client ${number}`,
          grant_types: ['client_credentials'],
          scopes: ['markets:trade'],
        });
        const form = new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: body.client_id,
          client_secret: body.client_secret,
        });
        const token = (await (
          await fetch(`${app.url}/auth/token`, { method: 'POST', body: form })
        ).json()) as Json;
        return new Caller(app.url, token.access_token);
      }),
    );
    const market = await createMarket(operator, 'ONE-BUDGET');
    await eventually(async () => {
      const left = await Promise.all(
        clients.map(async (client) => {
          const { headers } = await client.post('/orders/preview', limit(market, 'buy', '1', '1'));
          return Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
        }),
      );
      // Within one second both used the same budget.
      expect(left.sort((a, b) => a - b)).toEqual([1_998, 1_999]);
    });
  });

  /** A user with an account and a session. */
  async function aUserOf(operator: Caller, username: string): Promise<Caller> {
    const created = await operator.post('/user', { username, password: `${username}-password` });
    expect(created.status).toBe(200);
    const response = await fetch(`${app.url}/user/login`, {
      headers: { authorization: `Basic ${btoa(`${username}:${username}-password`)}` },
    });
    return new Caller(app.url, (await response.json()) as string);
  }
});

describe('event streams', () => {
  it('count like sockets, and are forgotten however they end', async () => {
    const connections = app.app.nest.get(ConnectionLimits);
    const token = await tokenFor(app.url, 'demo');
    await eventually(() => expect(connections.isEmpty).toBe(true));
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const aborter = new AbortController();
          const isOwn = i % 2 === 0;
          const following = fetch(
            app.url + (isOwn ? '/accounts/me/stream' : '/markets/BTC-USD/stream?channels=l2'),
            {
              method: i % 5 === 0 ? 'HEAD' : 'GET',
              signal: aborter.signal,
              headers: isOwn ? { authorization: `Bearer ${token}` } : {},
            },
          ).catch(() => undefined);
          // Some disconnect while the stream is being opened.
          if (i % 3 === 0) await new Promise((resolve) => setTimeout(resolve, i / 10));
          else await following;
          aborter.abort();
          await following;
        }),
      );
    }
    await eventually(() => expect(connections.isEmpty).toBe(true));
  });

  it('are refused before their first byte where the address has enough of them', async () => {
    const connections = app.app.nest.get(ConnectionLimits);
    const address = anAddress();
    const request = { socket: { remoteAddress: '127.0.0.1' }, headers: address } as never;
    const releases = Array.from({ length: CONNECTIONS_PER_ADDRESS_MAX }, () => connections.count(request));
    const refused = await ask('/markets/BTC-USD/stream', address);
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    expect(JSON.parse(refused.bytes.toString())).toMatchObject({ error: { code: 'rate_limited' } });
    for (const release of releases) release();
    await eventually(() => expect(connections.isEmpty).toBe(true));
  });

  it('are refused where the owner has enough sockets and streams, by whatever client', async () => {
    const connections = app.app.nest.get(ConnectionLimits);
    const releases = Array.from({ length: CONNECTIONS_PER_PRINCIPAL_MAX }, () =>
      connections.countPrincipal({ accountOwner: 'client:maker' }),
    );
    const maker = await callerFor(app.url, 'maker');
    expect(await maker.get('/accounts/me/stream')).toMatchObject({
      status: 429,
      body: { error: { code: 'rate_limited' } },
    });
    for (const release of releases) release();
    expect((await maker.get('/accounts/me/stream')).status).toBe(200);
    await eventually(() => expect(connections.isEmpty).toBe(true));
  });
});
