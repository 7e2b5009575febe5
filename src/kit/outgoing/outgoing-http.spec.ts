import { once } from 'node:events';
import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.js';
import { TRACE, traceEverything } from '../../../test/support/fake-tracing.js';
import { setTracing } from '../tracing/tracing.js';
import { HostNames } from './host-names.js';
import { OutgoingHttp, type OutgoingRequest } from './outgoing-http.js';

describe('OutgoingHttp', () => {
  let server: Server;
  let port: number;
  let answer: RequestListener;
  let arrived: string[];
  let open: OutgoingHttp[];
  beforeEach(async () => {
    arrived = [];
    open = [];
    answer = (_request, response) => response.end('well');
    server = createServer((request, response) => {
      arrived.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(async () => {
    for (const http of open) await http.onApplicationShutdown();
    server.closeAllConnections();
    server.close();
  });

  /** A production instance, with names that resolve to these addresses in turn. */
  const guarded = (...answers: string[][]): OutgoingHttp => {
    const names = new HostNames({ webhookAllowPrivate: false });
    names.addressesOf = () => {
      const addresses = answers.length > 1 ? answers.shift()! : answers[0];
      if (addresses === undefined) return Promise.reject(new Error('ENOTFOUND'));
      return Promise.resolve(
        addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };
    return opened(new OutgoingHttp(names, { webhookAllowPrivate: false }));
  };
  const unguarded = (): OutgoingHttp =>
    opened(new OutgoingHttp(new HostNames({ webhookAllowPrivate: true }), { webhookAllowPrivate: true }));
  const opened = (http: OutgoingHttp): OutgoingHttp => {
    open.push(http);
    return http;
  };
  const get = (path: string, options: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
    method: 'GET',
    url: `http://127.0.0.1:${port}${path}`,
    timeoutMs: 5_000,
    bodyBytesMax: 1_000,
    ...options,
  });

  describe('addresses', () => {
    it('takes plain http where that will do, and still reaches nothing private', async () => {
      const http = guarded(['127.0.0.1']);
      const url = `http://example.com:${port}/`;
      await expect(http.request(get('', { url }))).rejects.toMatchObject({ code: 'invalid_url' });
      const asked = get('', { url, plainHttp: true });
      await expect(http.request(asked)).rejects.toMatchObject({ code: 'address_not_allowed' });
      await expect(http.request(get('/', { plainHttp: true }))).rejects.toMatchObject({
        code: 'address_not_allowed',
      });
      expect(arrived).toEqual([]);
    });

    it.each([
      'http://example.com/',
      'ftp://example.com/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'https://user:secret@example.com/',
      'https://user@example.com/',
      'example.com',
      'https://',
      `https://example.com/${'a'.repeat(2_048)}`,
      '',
    ])('refuses %s', async (url) => {
      const http = guarded(['93.184.215.14']);
      await expect(http.check(url)).rejects.toMatchObject({ code: 'invalid_url' });
      await expect(http.request(get('', { url }))).rejects.toMatchObject({ code: 'invalid_url' });
    });

    it.each([
      'https://127.0.0.1/',
      'https://127.1/',
      'https://2130706433/',
      'https://0x7f000001/',
      'https://0x7f.0.0.1/',
      'https://017700000001/',
      'https://0177.0.0.1/',
      'https://127.0.0.1./',
      'https://①②⑦.⓪.⓪.①/',
      'https://169.254.169.254/latest/meta-data',
      'https://0/',
      'https://[::1]/',
      'https://[::]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:a9fe:a9fe]/',
      'https://[64:ff9b::127.0.0.1]/',
      'https://[2002:7f00:1::]/',
      'https://[fd00::1]/',
    ])('reaches nothing private by %s', async (url) => {
      const http = guarded();
      await expect(http.check(url)).rejects.toMatchObject({ code: 'address_not_allowed' });
      await expect(http.request(get('', { url }))).rejects.toMatchObject({ code: 'address_not_allowed' });
    });

    it.each([
      [['127.0.0.1']],
      [['93.184.215.14', '10.0.0.1']],
      [['::ffff:10.0.0.1']],
      [['2606:4700::1', '::1']],
    ])('refuses a name that leads to %j', async (addresses) => {
      const http = guarded(addresses);
      const url = `https://example.com:${port}/`;
      await expect(http.check(url)).rejects.toMatchObject({ code: 'address_not_allowed' });
      await expect(http.request(get('', { url }))).rejects.toMatchObject({ code: 'address_not_allowed' });
      expect(arrived).toEqual([]);
    });

    it('checks again when it connects, whatever the name led to before', async () => {
      const http = guarded(['93.184.215.14'], ['127.0.0.1']);
      const url = `https://rebinding.example:${port}/`;
      await http.check(url);
      await expect(http.request(get('', { url }))).rejects.toMatchObject({ code: 'address_not_allowed' });
      expect(arrived).toEqual([]);
    });

    it('says when a name leads nowhere', async () => {
      const http = guarded();
      await expect(http.check('https://nowhere.example/')).rejects.toMatchObject({ code: 'name_not_found' });
    });

    it('reaches this machine where that is allowed, for development', async () => {
      const http = unguarded();
      await http.check(`http://localhost:${port}/`);
      const { status, body } = await http.request(get('/', { url: `http://localhost:${port}/a` }));
      expect({ status, body: body.toString() }).toEqual({ status: 200, body: 'well' });
    });
  });

  describe('inside', () => {
    const inside = (...hosts: string[]): OutgoingHttp => {
      const outgoing = { internalHosts: hosts, caFile: undefined };
      return opened(
        new OutgoingHttp(new HostNames({ webhookAllowPrivate: false }), {
          webhookAllowPrivate: false,
          outgoing,
        }),
      );
    };
    const internal = { plainHttp: true, isInternal: true } as const;

    it('reaches what the operator lists, by its name or its address, for who says so', async () => {
      const http = inside(`localhost:${port}`, `127.0.0.1:${port}`);
      const url = `http://LOCALHOST:${port}/named`;
      expect((await http.request(get('', { ...internal, url }))).body.toString()).toBe('well');
      expect((await http.request(get('/address', internal))).status).toBe(200);
      expect(arrived).toEqual(['GET /named', 'GET /address']);
    });

    it('reaches none of it for an address of a user, which a webhook or a feed has', async () => {
      const http = inside(`127.0.0.1:${port}`);
      const refused = { code: 'address_not_allowed' };
      await expect(http.request(get('/', { plainHttp: true }))).rejects.toMatchObject(refused);
      await expect(http.check(`https://127.0.0.1:${port}/`)).rejects.toMatchObject(refused);
      expect(arrived).toEqual([]);
    });

    it.each([
      ['another port', (own: number) => [`127.0.0.1:${own === 9 ? 10 : 9}`]],
      ['another name', (own: number) => [`localhost:${own}`]],
      ['a name that begins as one that is listed', (own: number) => [`127.0.0.1.evil.example:${own}`]],
      ['nothing listed', () => []],
    ])('refuses %s', async (_what, hosts) => {
      const http = inside(...hosts(port));
      await expect(http.request(get('/', internal))).rejects.toMatchObject({ code: 'address_not_allowed' });
      expect(arrived).toEqual([]);
    });

    it('follows no redirect from there to what is not listed', async () => {
      answer = (_request, response) =>
        response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
      const http = inside(`127.0.0.1:${port}`);
      const asked = get('/', { ...internal, redirectsMax: 3 });
      await expect(http.request(asked)).rejects.toMatchObject({ code: 'address_not_allowed' });
    });
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)(
    'sends %s with a body',
    async (method) => {
      answer = (request, response) =>
        void text(request).then((body) => response.end(`${request.method} ${body}`));
      const { body } = await unguarded().request(get('/', { method, body: 'what' }));
      expect(body.toString()).toBe(`${method} what`);
    },
  );

  it('asks by HEAD, and follows redirects of nothing that changes something', async () => {
    answer = ({ url }, response) =>
      url === '/old' ? response.writeHead(307, { location: '/new' }).end() : response.end('well');
    const http = unguarded();
    expect(await http.request(get('/old', { method: 'HEAD', redirectsMax: 1 }))).toMatchObject({
      status: 200,
    });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
      expect(await http.request(get('/old', { method, redirectsMax: 1 }))).toMatchObject({ status: 307 });
    expect(arrived.filter((each) => each.endsWith('/new'))).toEqual(['HEAD /new']);
  });

  it('sends headers and body as they are', async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
      void text(request).then((body) => {
        seen.push(request.headers['x-sign'], body);
        response.writeHead(201, { 'x-answer': 'yes' }).end();
      });
    };
    const response = await unguarded().request(
      get('/hook', { method: 'POST', headers: { 'x-sign': 'me' }, body: '{"é":1}' }),
    );
    expect(response).toMatchObject({ status: 201, headers: { 'x-answer': 'yes' } });
    expect(seen).toEqual(['me', '{"é":1}']);
  });

  describe('traces', () => {
    beforeEach(() => void traceEverything());
    afterEach(() => setTracing(undefined));

    it('go to nobody unless that is asked for, and then not where a redirect leads', async () => {
      const traces: unknown[] = [];
      answer = ({ url, headers }, response) => {
        traces.push(headers.traceparent);
        if (url === '/moved') response.writeHead(302, { location: '/there' });
        response.end('well');
      };
      await unguarded().request(get('/'));
      await unguarded().request(get('/moved', { isTraced: true, redirectsMax: 1 }));
      expect(traces).toEqual([undefined, TRACE, undefined]);
    });
  });

  describe('redirects', () => {
    beforeEach(() => {
      answer = ({ url }, response) => {
        const to: Record<string, [number, string]> = {
          '/old': [301, '/older'],
          '/older': [302, '/new?x=1'],
          '/inside': [302, 'http://169.254.169.254/'],
          '/file': [302, 'file:///etc/passwd'],
          '/loop': [307, '/loop'],
        };
        const next = to[url!];
        if (next === undefined) response.end('arrived');
        else response.writeHead(next[0], { location: next[1] }).end('moved');
      };
    });

    it('are answers unless they are asked to be followed', async () => {
      const response = await unguarded().request(get('/old'));
      expect(response).toMatchObject({ status: 301, headers: { location: '/older' }, redirects: [] });
    });

    it('are followed, and told of', async () => {
      const response = await unguarded().request(get('/old', { redirectsMax: 5 }));
      expect(response.body.toString()).toBe('arrived');
      expect(response.redirects).toEqual([
        { status: 301, url: `http://127.0.0.1:${port}/older` },
        { status: 302, url: `http://127.0.0.1:${port}/new?x=1` },
      ]);
    });

    it('lead to nothing but the web, and end', async () => {
      const http = unguarded();
      await expect(http.request(get('/file', { redirectsMax: 5 }))).rejects.toMatchObject({
        code: 'invalid_url',
      });
      await expect(http.request(get('/loop', { redirectsMax: 3 }))).rejects.toMatchObject({
        code: 'too_many_redirects',
      });
      expect(arrived.filter((line) => line === 'GET /loop')).toHaveLength(4);
    });
  });

  describe('limits', () => {
    it('refuses a body that is too long, or reads its beginning', async () => {
      answer = (_request, response) => response.end('x'.repeat(1_001));
      const http = unguarded();
      await expect(http.request(get('/'))).rejects.toMatchObject({ code: 'body_too_large' });
      expect((await http.request(get('/', { longBody: 'cut' }))).body).toHaveLength(1_000);
      expect((await http.request(get('/', { bodyBytesMax: 1_001 }))).body).toHaveLength(1_001);
    });

    it('reads no more of a body without an end than it may', async () => {
      let closed = false;
      answer = (_request, response) => {
        const writing = setInterval(() => response.write('x'.repeat(500)), 1);
        response.on('close', () => {
          clearInterval(writing);
          closed = true;
        });
      };
      const response = await unguarded().request(get('/', { longBody: 'cut' }));
      expect(response.body).toHaveLength(1_000);
      await eventually(() => closed, 'the connection is closed');
    });

    it.each([
      ['does not answer', () => undefined],
      ['never ends', (response: Parameters<RequestListener>[1]) => void response.write('a little')],
    ])('waits no longer for a server that %s', async (_what, hang) => {
      answer = (_request, response) => hang(response);
      await expect(unguarded().request(get('/', { timeoutMs: 100 }))).rejects.toMatchObject({
        code: 'timed_out',
      });
    });

    it('is cancelled by the caller', async () => {
      const cancelling = new AbortController();
      answer = () => cancelling.abort();
      await expect(unguarded().request(get('/', { signal: cancelling.signal }))).rejects.toMatchObject({
        code: 'cancelled',
      });
    });

    it('says that nobody listens', async () => {
      server.close();
      await once(server, 'close');
      await expect(unguarded().request(get('/'))).rejects.toMatchObject({
        code: 'connection_failed',
        message: 'No answer: ECONNREFUSED.',
      });
    });
  });
});
