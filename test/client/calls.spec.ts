import { inspect } from 'node:util';
import {
  clientCredentials,
  type ClientOptions,
  refreshToken,
  sessionToken,
  TradepostClient,
  TradepostError,
} from '@tradepost/client';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answerer, cut, FakeService, json, refuse } from '../support/fake-service.js';

const RETRY = { delayMs: 1 };
const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '1', size: '1' } as const;
const SECRETS = ['s3cret-of-the-client', 'tpa_first', 'tpa_second', 'tpr_first', 'tpr_second'];

let service: FakeService;
afterEach(() => service.stop());

async function clientOf(answer: Answerer, options: Partial<ClientOptions> = {}): Promise<TradepostClient> {
  service = await FakeService.start(answer);
  return new TradepostClient({ url: service.url, retry: RETRY, ...options });
}

/** The error of a call that has to fail. */
async function failureOf(call: Promise<unknown>): Promise<TradepostError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TradepostError);
  for (const secret of SECRETS) {
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
  }
  return error as TradepostError;
}

describe('a call', () => {
  it('fails with all that the service says', async () => {
    const client = await clientOf((response) =>
      json(response, 400, {
        error: {
          code: 'validation_failed',
          message: 'Correct the fields.',
          request_id: 'req-7',
          details: [{ field: 'size', message: 'must be a decimal' }],
        },
      }),
    );
    expect(await failureOf(client.post('/orders', { body: ORDER }))).toMatchObject({
      name: 'TradepostError',
      message: 'POST /orders: validation_failed: Correct the fields.',
      code: 'validation_failed',
      status: 400,
      requestId: 'req-7',
      details: [{ field: 'size', message: 'must be a decimal' }],
      attempts: 1,
    });
  });

  it('is repeated with the one key it was given, over a cut, an ambiguity and one that still runs', async () => {
    const client = await clientOf((response, _asked, index) => {
      if (index === 0) cut(response);
      else if (index === 1) refuse(response, 503, 'outcome_unknown');
      else if (index === 2) refuse(response, 409, 'idempotency_in_progress', { 'retry-after': '0' });
      else json(response, 201, { order_id: 'ord_1' });
    });
    expect(await client.post('/orders', { body: ORDER })).toEqual({ order_id: 'ord_1' });
    const keys = new Set(service.asked.map(({ headers }) => headers['idempotency-key']));
    expect([...keys]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(service.asked.map(({ body }) => JSON.parse(body) as unknown)).toEqual(Array(4).fill(ORDER));
    await client.post('/orders', { body: ORDER });
    expect(keys).not.toContain(service.asked.at(-1)!.headers['idempotency-key']);
    await client.post('/orders', { body: ORDER, idempotencyKey: 'mine' });
    expect(service.asked.at(-1)!.headers['idempotency-key']).toBe('mine');
  });

  it.each([
    ['POST without a key', (client: TradepostClient) => client.post('/orders/preview', { body: ORDER })],
    [
      'PATCH',
      (client: TradepostClient) =>
        client.patch('/orders/{order_id}', { params: { path: { order_id: 'ord_1' } }, body: { price: '2' } }),
    ],
  ])('of %s is repeated only where it was refused', async (_what, call) => {
    const client = await clientOf((response, _asked, index) => {
      if (index === 0) refuse(response, 429, 'rate_limited', { 'retry-after': '0' });
      else if (index === 1) cut(response);
      else refuse(response, 503, 'temporarily_unavailable');
    });
    expect(await failureOf(call(client))).toMatchObject({ code: 'connection_failed', attempts: 2 });
    expect(await failureOf(call(client))).toMatchObject({ code: 'temporarily_unavailable', attempts: 1 });
  });

  it('says where a connection failed, and why, and nothing of the query', async () => {
    const client = await clientOf((response) => response.destroy());
    const cut = await failureOf(
      client.get('/orders', { params: { query: { market_id: 'BTC-USD' } }, retry: false }),
    );
    expect(cut.reason).toContain(`The connection to ${service.url} failed`);
    await service.stop();
    const { reason } = await failureOf(client.get('/time', { retry: false }));
    expect(reason).toBe(
      `The connection to ${service.url} failed before the whole answer was there: ECONNREFUSED.`,
    );
    service = await FakeService.start((response) => response.end());
  });

  it('gives up after as many attempts as it may have', async () => {
    const client = await clientOf((response) => response.destroy());
    expect(await failureOf(client.get('/time'))).toMatchObject({ code: 'connection_failed', attempts: 4 });
    expect(await failureOf(client.get('/time', { retry: false }))).toMatchObject({ attempts: 1 });
    expect(service.asked).toHaveLength(5);
  });

  it('waits for no service that never answers', async () => {
    const client = await clientOf(() => undefined, { timeoutMs: 50, retry: { attemptsMax: 2, delayMs: 1 } });
    expect(await failureOf(client.get('/time'))).toMatchObject({ code: 'timeout', status: 0, attempts: 2 });
  });

  it('nor for one whose answer never ends', async () => {
    const client = await clientOf((response) => void response.writeHead(200).write('['), {
      timeoutMs: 50,
      retry: { attemptsMax: 1 },
    });
    expect(await failureOf(client.get('/time'))).toMatchObject({ code: 'timeout' });
  });

  it('nor for one that asks for an endless wait', async () => {
    const client = await clientOf((response) =>
      refuse(response, 429, 'rate_limited', { 'retry-after': '99999999999999999999' }),
    );
    expect(await failureOf(client.get('/time'))).toMatchObject({ code: 'rate_limited', attempts: 1 });
    const soon = new Date(Date.now() + 3_600_000).toUTCString();
    await service.stop();
    const other = await clientOf((response) =>
      refuse(response, 503, 'temporarily_unavailable', { 'retry-after': soon }),
    );
    const { retryAfterMs, attempts } = await failureOf(other.get('/time'));
    expect(attempts).toBe(1);
    expect(retryAfterMs).toBeGreaterThan(3_000_000);
  });

  it.each([
    ['HTML', 200, '<html>Welcome</html>'],
    ['HTML of a refusal', 403, '<html>Blocked</html>'],
    ['half of JSON', 200, '{"time": '],
    ['an error without its form', 500, '{"error": {"code": 7}}'],
  ])('tells %s from an answer of the service', async (_what, status, text) => {
    const client = await clientOf((response) => void response.writeHead(status).end(text));
    const error = await failureOf(client.get('/time'));
    expect(error.code).toBe('invalid_response');
    expect(error.message).not.toContain(text.slice(0, 6));
  });

  it('outlives a gateway', async () => {
    const client = await clientOf((response, _asked, index) => {
      if (index < 2) response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad gateway</html>');
      else json(response, 200, { time: 'now', sequence: 1 });
    });
    expect(await client.get('/time')).toEqual({ time: 'now', sequence: 1 });
  });

  it('ends with its signal, be it under way or waiting', async () => {
    const client = await clientOf((response, { path }) => {
      if (path === '/time') refuse(response, 503, 'temporarily_unavailable', { 'retry-after': '20' });
    });
    for (const path of ['/time', '/health/live'] as const) {
      await expect(client.get(path, { signal: AbortSignal.timeout(30) })).rejects.toMatchObject({
        name: 'TimeoutError',
      });
    }
    await expect(client.get('/time', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('follows no redirect, which would take its credential elsewhere', async () => {
    const client = await clientOf(
      (response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
      { credentials: sessionToken('tpa_first'), retry: { attemptsMax: 1 } },
    );
    expect((await failureOf(client.get('/accounts'))).code).toBe('connection_failed');
  });
});

describe('a list', () => {
  it('goes through all pages, and not in a circle', async () => {
    const client = await clientOf((response, { path }) => {
      const cursor = new URL(path, 'http://localhost').searchParams.get('cursor');
      if (path.startsWith('/markets'))
        json(response, 200, { data: [{ market_id: 'M' }], next_cursor: 'again' });
      else
        json(response, 200, {
          data: [{ code: cursor ?? 'first' }],
          next_cursor: cursor === null ? 'a b' : null,
        });
    });
    const codes = [];
    for await (const { code } of client.list('/assets')) codes.push(code);
    expect(codes).toEqual(['first', 'a b']);
    const all = async (): Promise<void> => {
      for await (const market of client.list('/markets')) expect(market.market_id).toBe('M');
    };
    expect((await failureOf(all())).code).toBe('invalid_response');
  });
});

describe('a credential', () => {
  const credentials = clientCredentials({ clientId: 'demo', clientSecret: SECRETS[0]! });
  const tokens = (): number => service.asked.filter(({ path }) => path === '/auth/token').length;

  function issuer(expiresIn: number): Answerer {
    let issued = 0;
    return (response, { path, headers }) => {
      const token = `tpa_${issued === 0 ? 'first' : 'second'}`;
      if (path === '/auth/token') {
        issued++;
        json(response, 200, { access_token: token, token_type: 'Bearer', expires_in: expiresIn });
      } else if (headers.authorization === 'Bearer tpa_second')
        json(response, 200, { data: [], next_cursor: null });
      else refuse(response, 401, 'invalid_token');
    };
  }

  it('is renewed once for all calls that it was refused to', async () => {
    const client = await clientOf(issuer(3_600), { credentials });
    await Promise.all(Array.from({ length: 10 }, () => client.get('/accounts')));
    expect(tokens()).toBe(2);
    expect(inspect(client, { depth: 9 })).not.toMatch(/tpa_|s3cret/);
  });

  it('is renewed before it expires', async () => {
    const client = await clientOf(issuer(0), { credentials });
    await client.get('/accounts');
    const before = tokens();
    await client.get('/accounts');
    expect(tokens()).toBe(before + 1);
  });

  it('is not asked for again and again where the service refuses it', async () => {
    const client = await clientOf(
      (response, { path }) => {
        if (path === '/auth/token') json(response, 200, { access_token: 'tpa_first', expires_in: 3_600 });
        else refuse(response, 401, 'invalid_token');
      },
      { credentials },
    );
    expect(await failureOf(client.get('/accounts'))).toMatchObject({ code: 'invalid_token', status: 401 });
    expect(tokens()).toBe(2);
  });

  it('that cannot be had fails the call as the service puts it', async () => {
    const client = await clientOf((response) => refuse(response, 401, 'invalid_client'), { credentials });
    expect(await failureOf(client.get('/accounts'))).toMatchObject({
      code: 'invalid_client',
      operation: 'POST /auth/token',
    });
    const bad = new TradepostClient({ url: service.url, credentials: sessionToken('tpa_first\nX: y') });
    expect((await failureOf(bad.get('/accounts'))).code).toBe('invalid_token');
    expect(() => new TradepostClient({ url: 'http://user:s3cret@localhost' })).toThrow(
      /^url must be an absolute http\(s\) address without a user name or password\.$/,
    );
  });

  it('by refresh token is handed on, and never used twice', async () => {
    const stored: string[] = [];
    const client = await clientOf(
      (response, { path }, index) => {
        if (path !== '/oauth/token') json(response, 200, { data: [], next_cursor: null });
        else if (index === 0) {
          json(response, 200, { access_token: 'tpa_first', expires_in: 0, refresh_token: 'tpr_second' });
        } else cut(response);
      },
      {
        credentials: refreshToken({
          clientId: 'app',
          refreshToken: 'tpr_first',
          onRefresh: (token) => void stored.push(token),
        }),
      },
    );
    await client.get('/accounts');
    expect(stored).toEqual(['tpr_second']);
    expect(await failureOf(client.get('/accounts'))).toMatchObject({
      code: 'connection_failed',
      attempts: 1,
    });
    const forms = service.asked.filter(({ path }) => path === '/oauth/token').map(({ body }) => body);
    expect(forms).toEqual([
      'grant_type=refresh_token&refresh_token=tpr_first&client_id=app',
      'grant_type=refresh_token&refresh_token=tpr_second&client_id=app',
    ]);
  });
});
