import { EventSource } from 'eventsource';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeysService } from '../../../src/modules/auth/api-keys/api-keys.service.js';
import { AccessTokensService } from '../../../src/modules/auth/tokens/access-tokens.service.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { Caller, callerFor, loggedIn, tokenFor, type Json, type Reply } from '../../support/caller.js';
import { logIn, UserCaller } from '../../support/clients/users-client.js';
import { eventually } from '../../support/eventually.js';

const PATH = '/accounts/me/stream';

/** A stream's credential, and the way it ends. */
interface Ending {
  readonly caller: UserCaller;
  end(): Promise<Reply>;
}

describe('stream tickets', () => {
  let app: TestApp;
  let demo: Caller;
  const streams: EventSource[] = [];

  beforeAll(async () => {
    app = await startTestApp();
    demo = await callerFor(app.url, 'demo');
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  afterAll(() => app.close());

  async function ticketOf(caller: Caller, path = PATH): Promise<string> {
    const { status, body } = await caller.post('/auth/stream-tickets', { path });
    expect(status).toBe(201);
    return body.ticket;
  }

  /** The status of a stream, which is then closed. */
  async function statusOf(pathAndQuery: string, headers: Record<string, string> = {}): Promise<number> {
    const aborter = new AbortController();
    const { status } = await fetch(app.url + pathAndQuery, { headers, signal: aborter.signal });
    aborter.abort();
    return status;
  }

  it('let an EventSource follow, without any header', async () => {
    const reply = await demo.post('/auth/stream-tickets', { path: PATH });
    expect(reply).toMatchObject({
      status: 201,
      body: { ticket: expect.stringMatching(/^tpt_[\w-]{43}$/), expires_at: expect.stringMatching(/Z$/) },
    });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    const livesMs = Date.parse(reply.body.expires_at) - Date.now();
    expect(livesMs).toBeGreaterThan(590_000);
    expect(livesMs).toBeLessThanOrEqual(600_000);
    const events: Json[] = [];
    const stream = new EventSource(`${app.url}${PATH}?ticket=${reply.body.ticket}`);
    streams.push(stream);
    stream.addEventListener('account.snapshot', (event) => events.push(JSON.parse(event.data)));
    await eventually(() => expect(events.length).toBeGreaterThan(0));
  });

  it('are good again and again, as EventSource comes back by itself', async () => {
    const ticket = await ticketOf(demo);
    for (let round = 0; round < 3; round++) expect(await statusOf(`${PATH}?ticket=${ticket}`)).toBe(200);
  });

  it('stand for the credential that made them, whichever it was', async () => {
    await app.app.nest
      .get(ApiKeysService)
      .ensure({ apiKeyId: 'streamer', key: 'streamer-key', name: 'Streamer', scopes: ['account:read'] });
    const response = await fetch(`${app.url}/auth/stream-tickets`, {
      method: 'POST',
      headers: { api_key: 'streamer-key', 'content-type': 'application/json' },
      body: JSON.stringify({ path: PATH }),
    });
    const { ticket } = (await response.json()) as Json;
    // The key has no account; the route reports that, after the guard.
    expect([200, 404]).toContain(await statusOf(`${PATH}?ticket=${ticket}`));
    const alice = await ticketOf(await loggedIn(app.url, 'alice'));
    expect(await statusOf(`${PATH}?ticket=${alice}`)).toBe(200);
  });

  it('have no more scopes than that credential', async () => {
    const poor = await ticketOf(await callerFor(app.url, 'demo', 'chat:read'));
    expect(await statusOf(`${PATH}?ticket=${poor}`)).toBe(403);
  });

  it('are good for their path alone', async () => {
    const ticket = await ticketOf(demo);
    const { body } = await demo.get('/accounts?limit=200');
    const { account_id } = body.data.find(({ kind }: Json) => kind === 'trading');
    for (const path of [
      `/accounts/${account_id}/stream`,
      `${PATH}/`,
      '/Accounts/me/stream',
      '/accounts/%6De/stream',
    ]) {
      expect(await statusOf(`${path}?ticket=${ticket}`), path).toBe(401);
    }
  });

  it('are good for nothing but streams', async () => {
    const ticket = await ticketOf(demo);
    for (const path of ['/orders', '/accounts/me/balances', '/wallets']) {
      expect(await statusOf(`${path}?ticket=${ticket}`), path).toBe(401);
    }
    expect(await statusOf('/orders', { authorization: `Bearer ${ticket}` })).toBe(401);
    expect(await statusOf(PATH, { authorization: `Bearer ${ticket}` })).toBe(401);
    expect(await statusOf(PATH, { api_key: ticket })).toBe(401);
  });

  it.each(['', 'nonsense', 'tpt_', '%00'])('are refused when they are made up: %j', async (ticket) => {
    expect(await statusOf(`${PATH}?ticket=${ticket}`)).toBe(ticket === '%00' ? 400 : 401);
  });

  it('are refused when they come twice', async () => {
    const ticket = await ticketOf(demo);
    expect(await statusOf(`${PATH}?ticket=${ticket}&ticket=${ticket}`)).toBe(401);
  });

  it.each([
    '/orders',
    '/accounts/me/stream?offset=1',
    '/accounts/me/stream/',
    '/accounts//stream',
    '/accounts/a/b/stream',
    'accounts/me/stream',
    'https://elsewhere.example/accounts/me/stream',
    '/accounts/me/stream\n',
    '/markets/BTC-USD/stream',
    '/nothing',
  ])('are not made for %j', async (path) => {
    expect(await demo.post('/auth/stream-tickets', { path })).toMatchObject({
      status: 422,
      body: { error: { code: 'unprocessable' } },
    });
  });

  it.each([{}, { path: 5 }, { path: '' }, { path: 'x'.repeat(600) }, { path: PATH, ticket: 'mine' }])(
    'are not made of %j',
    async (body) => {
      expect(await demo.post('/auth/stream-tickets', body)).toMatchObject({
        status: 400,
        body: { error: { code: 'validation_failed' } },
      });
    },
  );

  it('are refused once their time is over, while streams that are open stay so', async () => {
    const ticket = await ticketOf(demo);
    const reader = await readerOf(`${PATH}?ticket=${ticket}`);
    await queryOnce(app.config.databaseUrl!, 'UPDATE stream_tickets SET expires_at = now()');
    await eventually(async () => expect(await statusOf(`${PATH}?ticket=${ticket}`)).toBe(401));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(reader.text).not.toContain('event: error');
    expect(reader.hasEnded).toBe(false);
    reader.stop();
  });

  it('end with the credential that made them, and so do the streams that they opened', async () => {
    const token = await tokenFor(app.url, 'demo');
    const ticket = await ticketOf(new Caller(app.url, token));
    const [byTicket, byToken] = [
      await readerOf(`${PATH}?ticket=${ticket}`),
      await readerOf(PATH, { authorization: `Bearer ${token}` }),
    ];
    await app.app.nest.get(AccessTokensService).revoke(token);
    expect(await statusOf(`${PATH}?ticket=${ticket}`)).toBe(401);
    for (const reader of [byTicket, byToken]) {
      await eventually(() => expect(reader.hasEnded).toBe(true));
      const [, data] = /event: error\ndata: (.*)\n\n$/.exec(reader.text)!;
      expect(JSON.parse(data!)).toMatchObject({ error: { code: 'invalid_token' } });
    }
  });

  it.each<[string, (owner: UserCaller) => Promise<Ending>]>([
    [
      'an API key that is deleted',
      async (owner) => {
        const { body } = await owner.post('/auth/api-keys', { name: 'Key', scopes: ['account:read'] });
        const caller = new UserCaller(app.url).withApiKey(body.api_key);
        return { caller, end: () => owner.delete(`/auth/api-keys/${body.api_key_id}`) };
      },
    ],
    [
      'a client that is deleted',
      async (owner) => {
        const { body } = await owner.post('/auth/clients', { name: 'App', scopes: ['account:read'] });
        const anyone = new UserCaller(app.url);
        const token = await anyone.tryToken(body.client_id, body.client_secret);
        const caller = anyone.withBearer(token.body.access_token);
        return { caller, end: () => owner.delete(`/auth/clients/${body.client_id}`) };
      },
    ],
    [
      'another session, by a new password',
      async (owner) => {
        const caller = await logIn(app, 'alice');
        const password = 'alice-password';
        const body = { current_password: password, new_password: password };
        return { caller, end: () => owner.post('/user/password', body) };
      },
    ],
  ])('end with %s, at once, and so does the stream', async (_which, make) => {
    const { caller, end } = await make(await logIn(app, 'alice'));
    const { body } = await caller.post('/auth/stream-tickets', { path: PATH });
    const path = `${PATH}?ticket=${body.ticket}`;
    const reader = await readerOf(path);
    expect((await end()).status).toBe(204);
    expect(await statusOf(path)).toBe(401);
    await eventually(() => expect(reader.hasEnded).toBe(true));
  });

  it('are kept as digests, never outlive their credential, and go with it', async () => {
    const token = await tokenFor(app.url, 'maker');
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE oauth_tokens SET expires_at = now() + interval '1 minute' WHERE client_id = 'maker'`,
    );
    const { body } = await new Caller(app.url, token).post('/auth/stream-tickets', { path: PATH });
    expect(Date.parse(body.expires_at) - Date.now()).toBeLessThanOrEqual(60_000);
    const rows = (): Promise<Json[]> =>
      queryOnce(
        app.config.databaseUrl!,
        `SELECT * FROM stream_tickets NATURAL JOIN oauth_tokens WHERE client_id = 'maker'`,
      );
    expect(JSON.stringify(await rows())).not.toContain(body.ticket);
    expect(await rows()).toHaveLength(1);
    await app.app.nest.get(AccessTokensService).revoke(token);
    expect(await rows()).toHaveLength(0);
  });

  it('are made so often and no more', async () => {
    const caller = await callerFor(app.url, 'maker');
    const replies = await Promise.all(
      Array.from({ length: 700 }, () => caller.post('/auth/stream-tickets', { path: PATH })),
    );
    expect(replies.filter(({ status }) => status === 429).length).toBeGreaterThan(50);
  });

  it('need no stream to end a request for its head alone', async () => {
    const ticket = await ticketOf(demo);
    const response = await fetch(`${app.url}${PATH}?ticket=${ticket}`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
  });

  /** Reads a stream until it ends or is stopped. */
  async function readerOf(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ text: string; hasEnded: boolean; stop(): void }> {
    const aborter = new AbortController();
    const response = await fetch(app.url + path, { headers, signal: aborter.signal });
    expect(response.status).toBe(200);
    const reader = { text: '', hasEnded: false, stop: () => aborter.abort() };
    const decoder = new TextDecoder();
    void (async () => {
      for await (const chunk of response.body!) reader.text += decoder.decode(chunk, { stream: true });
      reader.hasEnded = true;
    })().catch(() => undefined);
    return reader;
  }
});
