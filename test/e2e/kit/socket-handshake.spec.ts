import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeysService } from '../../../src/modules/auth/api-keys/api-keys.service.js';
import { AccessTokensService } from '../../../src/modules/auth/tokens/access-tokens.service.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { tokenFor, type Json } from '../../support/caller.js';
import { eventually } from '../../support/eventually.js';

describe('the handshake of sockets', () => {
  let app: TestApp;
  let demoToken: string;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    app = await startTestApp();
    demoToken = await tokenFor(app.url, 'demo');
    const keys = app.app.nest.get(ApiKeysService);
    await keys.ensure({ apiKeyId: 'reader', key: 'reader-key', name: 'Reader', scopes: ['account:read'] });
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.disconnect();
  });
  afterAll(() => app.close());

  function connect(auth: Json, options: Json = {}): Socket {
    const socket = io(`${app.url}/account`, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      auth,
      ...options,
    });
    sockets.push(socket);
    return socket;
  }

  /** A socket that was accepted. */
  async function connected(auth: Json, options: Json = {}): Promise<Socket> {
    const socket = connect(auth, options);
    expect(await outcomeOf(socket)).toBe('connected');
    return socket;
  }

  /** All that a socket receives when it is closed. */
  function endOf(socket: Socket): Promise<{ error: Json; reason: string }> {
    return new Promise((resolve) => {
      let error: Json;
      socket.on('error', (envelope) => {
        error = envelope.error;
      });
      socket.on('disconnect', (reason) => resolve({ error, reason }));
    });
  }

  it.each<[string, Json, Json]>([
    ['a token', () => ({ token: demoToken }), {}],
    ['an API key', () => ({ api_key: 'reader-key' }), {}],
    ['a token beside an API key', () => ({ token: demoToken, api_key: 'nonsense' }), {}],
    ['what else a client has to say', () => ({ token: demoToken, client: 'mine' }), {}],
    ['long polling', () => ({ token: demoToken }), { transports: ['polling'] }],
  ])('lets in %s', async (_name, auth, options) => {
    await connected(auth(), options);
  });

  it('lets in by the headers of HTTP, for clients that can send them', async () => {
    await connected({}, { extraHeaders: { authorization: `Bearer ${demoToken}` } });
    await connected({}, { extraHeaders: { api_key: 'reader-key' } });
  });

  it.each<[string, Json, string]>([
    ['nothing', {}, 'authentication_required'],
    ['null', { token: null, api_key: null }, 'authentication_required'],
    ['a token that nobody issued', { token: 'nonsense' }, 'invalid_token'],
    ['an API key that nobody issued', { api_key: 'nonsense' }, 'invalid_api_key'],
    ['an empty token', { token: '' }, 'invalid_token'],
    ['a number', { token: 42 }, 'validation_failed'],
    ['a list', { token: ['a'] }, 'validation_failed'],
    ['an object', { api_key: { toString: 'x' } }, 'validation_failed'],
    ['a very long text', { token: 'x'.repeat(2_000) }, 'validation_failed'],
    ['a NUL', { token: 'a\0b' }, 'invalid_token'],
  ])('refuses %s in the envelope', async (_name, auth, code) => {
    const socket = connect(auth);
    expect(await outcomeOf(socket)).toMatchObject({
      error: { code, message: expect.any(String), request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(socket.connected).toBe(false);
  });

  it('refuses a credential without the scope', async () => {
    expect(await outcomeOf(connect({ token: await tokenFor(app.url, 'demo', 'chat:read') }))).toMatchObject({
      error: { code: 'insufficient_scope' },
    });
  });

  it('takes no message of who was not let in', async () => {
    const socket = connect({});
    await outcomeOf(socket);
    const answers: Json[] = [];
    socket.io.engine.on('packet', (packet: Json) => answers.push(packet));
    // Sends like a client that does not wait for the handshake's answer.
    socket.io.engine.write('2/account,0["subscribe",{"account_id":"me"}]');
    socket.io.engine.write('2/account,["auth.renew",{}]');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(answers.filter(({ type }) => type === 'message')).toEqual([]);
  });

  it.each(['0/account,"text"', '0/account,[1]', '0/account,null', '0/nothing,{}', '9', '2["error"]', 'x'])(
    'survives the frame %s',
    async (frame) => {
      const socket = connect({});
      await outcomeOf(socket);
      socket.io.engine.write(frame);
      await connected({ token: demoToken });
    },
  );

  it('ends with the token, once it is revoked', async () => {
    const token = await tokenFor(app.url, 'demo');
    const [socket, other] = await Promise.all([connected({ token }), connected({ token: demoToken })]);
    const end = endOf(socket);
    await app.app.nest.get(AccessTokensService).revoke(token);
    expect(await end).toMatchObject({ error: { code: 'invalid_token' }, reason: 'io server disconnect' });
    expect(other.connected).toBe(true);
  });

  it('ends with the token, once it expires', async () => {
    const token = await tokenFor(app.url, 'maker');
    const end = endOf(await connected({ token }));
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE oauth_tokens SET expires_at = now() WHERE client_id = 'maker'`,
    );
    expect(await end).toMatchObject({ error: { code: 'invalid_token' }, reason: 'io server disconnect' });
  });

  it('ends with the scope that its client loses', async () => {
    const key = { apiKeyId: 'loser', key: 'loser-key', name: 'Loser', scopes: ['account:read'] as const };
    await app.app.nest.get(ApiKeysService).ensure(key);
    const end = endOf(await connected({ api_key: key.key }));
    await queryOnce(
      app.config.databaseUrl!,
      `UPDATE api_keys SET scopes = '{chat:read}' WHERE api_key_id = 'loser'`,
    );
    expect(await end).toMatchObject({ error: { code: 'insufficient_scope' } });
  });

  it('is renewed by another credential of the same principal, which decides from then on', async () => {
    const [first, second] = [await tokenFor(app.url, 'demo'), await tokenFor(app.url, 'demo')];
    const socket = await connected({ token: first });
    const end = endOf(socket);
    expect(await socket.emitWithAck('auth.renew', { token: second })).toEqual({ data: null });
    await app.app.nest.get(AccessTokensService).revoke(first);
    // Two rounds of credential checks: the first one would have ended the socket.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(socket.connected).toBe(true);
    await app.app.nest.get(AccessTokensService).revoke(second);
    expect(await end).toMatchObject({ error: { code: 'invalid_token' } });
  });

  it.each<[string, () => Promise<Json>, string]>([
    ['another principal', async () => ({ token: await tokenFor(app.url, 'maker') }), 'forbidden'],
    [
      'fewer scopes',
      async () => ({ token: await tokenFor(app.url, 'demo', 'chat:read') }),
      'insufficient_scope',
    ],
    ['nonsense', () => Promise.resolve({ token: 'nonsense' }), 'invalid_token'],
    ['nothing', () => Promise.resolve({}), 'authentication_required'],
    ['no object', () => Promise.resolve('text'), 'malformed_request'],
    ['an unknown field', () => Promise.resolve({ tokn: 'x' }), 'validation_failed'],
  ])('is not renewed by %s, and stays as it was', async (_name, message, code) => {
    const socket = await connected({ token: demoToken });
    const errors: Json[] = [];
    socket.on('error', (envelope) => errors.push(envelope));
    const content = await message();
    expect(await socket.emitWithAck('auth.renew', content)).toMatchObject({ error: { code } });
    // Without an acknowledgement callback, the answer is an event.
    socket.emit('auth.renew', content);
    await eventually(() => expect(errors).toMatchObject([{ error: { code } }]));
    expect(socket.connected).toBe(true);
  });

  it('is renewed no more often than a socket may speak', async () => {
    const socket = await connected({ token: demoToken });
    // On a slow machine one burst may span several windows of the budget.
    await eventually(async () => {
      const answers: Json[] = await Promise.all(
        Array.from({ length: 300 }, () => socket.emitWithAck('auth.renew', { token: demoToken })),
      );
      expect(answers.map(({ error }) => error?.code)).toContain('rate_limited');
    });
    expect(socket.connected).toBe(true);
  });
});

/** `connected`, or the envelope of the refusal. */
function outcomeOf(socket: Socket): Promise<Json> {
  return new Promise((resolve) => {
    socket.on('connect', () => resolve('connected'));
    socket.on('connect_error', (error: Error & { data?: unknown }) => resolve(error.data ?? error.message));
  });
}
