import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { logged, startProbe } from '../../../test/support/http-probe.js';
import { MetricsRegistry } from '../metrics/metrics-registry.js';

let app: NestExpressApplication;
let url: string;
beforeAll(async () => {
  app = await startProbe();
  url = await app.getUrl();
});
afterAll(() => app.close());
beforeEach(() => {
  logged.length = 0;
});

const send = (path: string, init?: RequestInit): Promise<Response> => fetch(`${url}${path}`, init);
const post = (path: string, body: string | Buffer, type = 'application/json'): Promise<Response> =>
  send(path, { method: 'POST', body, headers: { 'content-type': type } });

/** Checks the form that every failure must have. */
async function failureOf(
  response: Response,
): Promise<{ status: number; code: string; message: string; details?: unknown }> {
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('tradepost-version')).toBe('2026-11-01');
  const { error, ...rest } = (await response.json()) as {
    error: { code: string; message: string; request_id: string; details?: unknown };
  };
  expect(rest).toEqual({});
  expect(error.request_id).toBe(response.headers.get('x-request-id'));
  const { request_id: _requestId, ...shown } = error;
  return { status: response.status, ...shown };
}

/** Sends raw bytes and returns what arrives until the connection ends. */
async function sendRaw(text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

describe('routes that are not there', () => {
  it('are 404', async () => {
    expect(await failureOf(await send('/nowhere'))).toMatchObject({ status: 404, code: 'route_not_found' });
    expect(await failureOf(await post('/nowhere/else', '{'))).toMatchObject({
      status: 404,
      code: 'route_not_found',
    });
  });

  it('are 405 with Allow where another method is', async () => {
    const response = await send('/notes/5', { method: 'DELETE' });
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(await failureOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect((await send('/notes', { method: 'PUT' })).headers.get('allow')).toBe('POST');
  });

  it('are not confused with a resource that is not there', async () => {
    expect(await failureOf(await send('/failures/missing'))).toMatchObject({
      status: 404,
      code: 'not_found',
    });
  });

  it.each([
    '/notes/%E0%A4%A',
    '/notes/%',
    '/notes/%FF',
    '/notes/a%00b',
    '/lists?cursor=%FF',
    '/lists?cursor=a%00',
  ])('malformed address %s is 400', async (path) => {
    expect(await failureOf(await send(path))).toMatchObject({ status: 400, code: 'malformed_request' });
  });
});

describe('bodies', () => {
  it('are read as declared', async () => {
    expect(await (await post('/notes', '{"text":"hé"}')).json()).toEqual({ text: 'hé' });
    expect(await (await post('/notes', '{"text":"a"}', 'Application/JSON; Charset="UTF-8"')).json()).toEqual({
      text: 'a',
    });
    const form = await send('/forms', { method: 'POST', body: new URLSearchParams({ text: 'a b&c' }) });
    expect(await form.json()).toEqual({ text: 'a b&c' });
  });

  it.each([
    ['broken JSON', '{"text":'],
    ['a bare text', '"text"'],
    ['a repeated member', '{"text":"a","text":"b"}'],
    ['__proto__', '{"text":"a","__proto__":{"x":1}}'],
    ['constructor', '{"text":"a","constructor":1}'],
    ['prototype', '{"text":"a","prototype":1}'],
    ['prototype, deep inside', '{"text":{"a":[{"prototype":{}}]}}'],
    ['a NUL', '{"text":"\\u0000"}'],
    ['half a surrogate pair', '{"text":"\\udead"}'],
    ['8,000 nested objects', `${'{"text":'.repeat(8_000)}1${'}'.repeat(8_000)}`],
    ['90,000 nested lists', '['.repeat(90_000)],
    ['bytes that are not UTF-8', Buffer.from('7b2274657874223a22ff227d', 'hex')],
    ['UTF-16', Buffer.from('{"text":"a"}', 'utf16le')],
    ['UTF-16 with its mark', Buffer.from('\ufeff{"text":"a"}', 'utf16le')],
    ['a byte order mark', '\ufeff{"text":"a"}'],
    ['something behind it', '{"text":"a"}x'],
    ['a second one behind it', '{"text":"a"}{"text":"b"}'],
    ['gzip that does not say so', gzipSync('{"text":"a"}')],
  ])('refuse %s with 400', async (_name, body) => {
    expect(await failureOf(await post('/notes', body))).toMatchObject({
      status: 400,
      code: 'malformed_request',
    });
  });

  it.each([
    'prototype=1',
    '__proto__=1',
    'constructor=1',
    'prototype=1&prototype=2',
    '%70rototype=1',
    'text=%ff',
    `text=a${'&b=c'.repeat(200)}`,
  ])('refuse the form text=a&%s with 400', async (fields) => {
    const reply = await post('/forms', `text=a&${fields}`, 'application/x-www-form-urlencoded');
    expect(await failureOf(reply)).toMatchObject({ status: 400, code: 'malformed_request' });
  });

  it('do not nest in forms, however deep a name looks', async () => {
    const deep = await post('/forms', `text${'[a]'.repeat(20_000)}=b`, 'application/x-www-form-urlencoded');
    expect(await failureOf(deep)).toMatchObject({ status: 400, code: 'validation_failed' });
  });

  it('name every field that is wrong', async () => {
    const failure = await failureOf(await post('/notes', '{"text":1,"extra":2}'));
    expect(failure).toMatchObject({ status: 400, code: 'validation_failed' });
    expect(failure.details).toEqual([
      { field: 'extra', message: 'extra is no field of this request: leave it out' },
      { field: 'text', message: 'text must be a string' },
    ]);
    expect(await failureOf(await send('/notes', { method: 'POST' }))).toMatchObject({
      code: 'validation_failed',
    });
    expect(
      await failureOf(await post('/forms', 'text=a&text=b', 'application/x-www-form-urlencoded')),
    ).toMatchObject({
      code: 'validation_failed',
    });
  });

  it('stop at 100 KB, in batches at 256 KB', async () => {
    const note = (size: number): string => JSON.stringify({ text: 'x'.repeat(size - '{"text":""}'.length) });
    expect((await post('/notes', note(100 * 1024))).status).toBe(201);
    expect(await failureOf(await post('/notes', note(100 * 1024 + 1)))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
    expect((await post('/batches', note(256 * 1024))).status).toBe(201);
    expect((await post('/batches', note(256 * 1024 + 1))).status).toBe(413);
  });

  it('stop at 100 KB also where no length was announced, and leave the connection usable', async () => {
    const chunk = `${(30_000).toString(16)}\r\n${'x'.repeat(30_000)}\r\n`;
    const head = (path: string): string =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
    const answer = await sendRaw(
      `${head('/notes')}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}0\r\n\r\n` +
        `${head('/notes')}Content-Length: 12\r\nConnection: close\r\n\r\n{"text":"a"}`,
    );
    expect(answer).toContain('HTTP/1.1 413');
    expect(answer).toContain('HTTP/1.1 201');
  });

  it.each([
    ['/notes', 'text/plain'],
    ['/notes', 'application/x-www-form-urlencoded'],
    ['/notes', 'application/json; charset=latin1'],
    ['/notes', 'application/jsonp'],
    ['/forms', 'application/json'],
    ['/forms', 'multipart/form-data'],
  ])('refuse for %s the type %s with 415', async (path, type) => {
    expect(await failureOf(await post(path, '{"text":"a"}', type))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    });
  });

  it.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip', 'GZIP'])('refuse %s with 415', async (encoding) => {
    const response = await send('/notes', {
      method: 'POST',
      // A megabyte of zeros, should the server unpack it.
      body: gzipSync(Buffer.alloc(1_000_000)),
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    });
    expect(response.status).toBe(415);
  });

  it('are not looked at where none is declared', async () => {
    expect((await post('/bodiless', '{{{')).status).toBe(201);
  });

  it('that break off do no harm', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(
      'POST /notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"te',
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await post('/notes', '{"text":"a"}')).status).toBe(201);
  });
});

describe('query parameters', () => {
  it('are converted where that is declared', async () => {
    expect(await (await send('/lists?limit=7&cursor=abc')).json()).toEqual({ limit: 7, cursor: 'abc' });
    expect(await (await send('/lists')).json()).toEqual({ limit: 50 });
  });

  it.each([
    'limit=0',
    'limit=201',
    'limit=0x10',
    'limit=1e1',
    'limit=%201',
    'limit=',
    'limit=1&limit=2',
    'limit=1,2',
    'extra=1',
    'cursor[a]=1',
    'cursor=a&cursor=b',
  ])('%s is refused', async (query) => {
    expect(await failureOf(await send(`/lists?${query}`))).toMatchObject({
      status: 400,
      code: 'validation_failed',
    });
  });

  it.each([
    'prototype=1',
    'limit=7&prototype',
    '%70rototype=1',
    'constructor=1',
    '__proto__=1',
    Array.from({ length: 201 }, (_, i) => `a${i}=1`).join('&'),
    '&'.repeat(8_000),
  ])('%s is malformed', async (query) => {
    expect(await failureOf(await send(`/lists?${query}`))).toMatchObject({
      status: 400,
      code: 'malformed_request',
    });
  });
});

describe('whatever is thrown', () => {
  it.each([
    ['text', 500, 'internal_error'],
    ['nothing', 500, 'internal_error'],
    ['error', 500, 'internal_error'],
    ['http', 409, 'conflict'],
    ['teapot', 400, 'malformed_request'],
    ['api', 422, 'insufficient_funds'],
    ['statement', 500, 'internal_error'],
    ['away', 503, 'temporarily_unavailable'],
  ])('%s is answered with %i', async (kind, status, code) => {
    const response = await send(`/failures/${kind}`);
    if (status === 503) expect(response.headers.get('retry-after')).toBe('1');
    const failure = await failureOf(response);
    expect(failure).toMatchObject({ status, code });
    expect(failure.message).not.toMatch(/secret|hunter2|SELECT|terminating/);
  });

  it('is logged with its cause when it is our fault', async () => {
    const response = await send('/failures/error');
    const line = logged.find((text) => text.includes('"internal_error"'));
    expect(line).toContain(response.headers.get('x-request-id'));
    expect(line).toContain('hunter2');
  });

  it('ends the connection of an answer that has begun', async () => {
    await expect((async () => (await send('/half')).text())()).rejects.toThrow();
  });
});

describe('what never becomes a request', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n', 400, 'malformed_request'],
    [
      'two lengths',
      'POST /notes HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'huge headers',
      `GET /notes/1 HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('%s has the envelope too', async (_name, text, status, code) => {
    const answer = await sendRaw(text);
    const [head, body] = answer.split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    const { error } = JSON.parse(body ?? '') as { error: { code: string; request_id: string } };
    expect(error.code).toBe(code);
    expect(head).toContain(`X-Request-Id: ${error.request_id}`);
  });
});

describe('every answer', () => {
  it('takes the request id of the caller when it is well formed', async () => {
    const idOf = async (id: string): Promise<string | null> =>
      (await send('/notes/1', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
    expect(await idOf('my-request.7')).toBe('my-request.7');
    for (const bad of ['with space', 'x'.repeat(129), 'a"b', '<script>']) {
      expect(await idOf(bad)).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('has the headers of the house and none that tell of the kitchen', async () => {
    const { headers } = await send('/notes/1');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const name of ['x-powered-by', 'etag', 'server']) expect(headers.get(name)).toBeNull();
  });

  it('is logged without its query', async () => {
    await send('/notes/1?password=hunter2', { headers: { authorization: 'Bearer hunter2' } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const line = logged.find((text) => text.includes('/notes/:id'));
    expect(JSON.parse(line ?? '')).toMatchObject({ method: 'GET', route: '/notes/:id', status: 200 });
    expect(logged.join('')).not.toContain('hunter2');
  });

  it('is counted by its route template, whatever the path', async () => {
    await send('/some/made/up/path');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const text = await app.get(MetricsRegistry).render();
    expect(text).toContain('method="GET",route="/notes/:id",status="200"');
    expect(text).toContain('route="unmatched",status="404"');
    expect(text).not.toContain('made');
  });

  it('allows other origins as configured, and no others', async () => {
    const originAllowed = async (origin: string): Promise<string | null> =>
      (await send('/notes/1', { headers: { origin } })).headers.get('access-control-allow-origin');
    expect(await originAllowed('https://shop.example')).toBe('https://shop.example');
    expect(await originAllowed('https://evil.example')).toBeNull();
    const preflight = await send('/notes', {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
  });
});
