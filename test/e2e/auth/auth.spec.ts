import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get } from '@nestjs/common';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CredentialAuthenticator } from '../../../src/modules/auth/credentials/credential-authenticator.js';
import { digestOf } from '../../../src/modules/auth/secrets/secrets.js';
import { AccessTokensService } from '../../../src/modules/auth/tokens/access-tokens.service.js';
import { Purges } from '../../../src/kit/jobs/purges.js';
import { TradepostPlugin } from '../../../src/kit/module/tradepost-module.js';
import { Authenticated, Public, RequireScopes } from '../../../src/kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../src/kit/security/current-principal.js';
import type { Principal } from '../../../src/kit/security/principal.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { recordStandardOutput } from '../../support/standard-output.js';
import { MARKETS_TRADE } from '../../../src/modules/markets/names/scopes.js';
import { ACCOUNT_READ } from '../../../src/modules/accounts/scopes.js';
import { READ_PETS } from '../../../src/modules/pets/scopes.js';

const DEMO = { client_id: 'demo', client_secret: 'demo-secret' };
const ADMIN = { client_id: 'admin', client_secret: 'admin-secret' };
const GRANT = { grant_type: 'client_credentials' };

/** Routes that return whom the guard admitted, one for each kind of declaration. */
@Controller('probe')
class ProbeController {
  @Get('public')
  @Public({ identify: true })
  public(@CurrentPrincipal() principal: Principal | undefined): { key: string } {
    return { key: principal?.key ?? 'nobody' };
  }

  @Get('authenticated')
  @Authenticated()
  authenticated(@CurrentPrincipal() principal: Principal): { key: string } {
    return { key: principal.key };
  }

  @Get('both')
  @RequireScopes({ allOf: [MARKETS_TRADE, ACCOUNT_READ] })
  both(@CurrentPrincipal() principal: Principal): { key: string } {
    return { key: principal.key };
  }

  @Get('pet')
  @RequireScopes({ anyOf: [READ_PETS] })
  pet(@CurrentPrincipal() principal: Principal): { key: string } {
    return { key: principal.key };
  }
}

@TradepostPlugin({ name: 'probe', compatibility: '*', controllers: [ProbeController] })
class ProbePlugin {}

interface TokenBody {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
}

interface Envelope {
  readonly error: { readonly code: string; readonly message: string; readonly request_id: string };
}

function basic(clientId: string, secret: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` };
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

describe('who calls', () => {
  let app: TestApp;
  let database: pg.Client;

  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off', plugins: [ProbePlugin] });
    database = new pg.Client({ connectionString: app.config.databaseUrl });
    await database.connect();
  });

  afterAll(async () => {
    await database?.end();
    await app?.close();
  });

  function post(
    path: string,
    form: Record<string, string> | string,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(form).toString(),
    });
  }

  async function tokenOf(client: Record<string, string>, scope?: string): Promise<string> {
    const response = await post('/auth/token', { ...GRANT, ...client, ...(scope ? { scope } : {}) });
    expect(response.status).toBe(200);
    return ((await response.json()) as TokenBody).access_token;
  }

  function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${app.url}${path}`, { headers });
  }

  describe('POST /auth/token', () => {
    it('gives a token with all scopes of the client, never to be cached', async () => {
      const response = await post('/auth/token', { ...GRANT, ...DEMO });
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const body = (await response.json()) as TokenBody;
      expect(body).toEqual({
        access_token: expect.stringMatching(/^tpa_[\w-]{43}$/) as string,
        token_type: 'Bearer',
        expires_in: 3600,
        scope: expect.stringContaining('markets:trade account:read') as string,
      });
      expect(body.scope.split(' ')).not.toContain('admin');
    });

    it('gives the scopes that are asked for, and no others', async () => {
      const response = await post('/auth/token', { ...GRANT, ...DEMO, scope: 'account:read account:read' });
      expect(await response.json()).toMatchObject({ scope: 'account:read' });
    });

    it.each([
      ['a wrong secret', { ...GRANT, ...DEMO, client_secret: 'demo-secreT' }, 401, 'invalid_client'],
      ['no secret', { ...GRANT, client_id: 'demo' }, 401, 'invalid_client'],
      ['an unknown client', { ...GRANT, client_id: 'nobody', client_secret: 'x' }, 401, 'invalid_client'],
      [
        'an id of another alphabet',
        { ...GRANT, client_id: 'dеmo', client_secret: 'x' },
        401,
        'invalid_client',
      ],
      ['a public client', { ...GRANT, client_id: 'petstore-ui' }, 400, 'unauthorized_client'],
      ['a scope that the client lacks', { ...GRANT, ...DEMO, scope: 'admin' }, 400, 'invalid_scope'],
      ['a scope that nobody has', { ...GRANT, ...DEMO, scope: 'everything' }, 400, 'invalid_scope'],
      ['a scope named like a built-in', { ...GRANT, ...DEMO, scope: '__proto__' }, 400, 'invalid_scope'],
      ['another grant', { ...DEMO, grant_type: 'password' }, 400, 'unsupported_grant_type'],
      ['a grant of /oauth/token', { ...DEMO, grant_type: 'refresh_token' }, 400, 'unsupported_grant_type'],
      ['no grant', DEMO, 400, 'invalid_request'],
      ['no client', GRANT, 400, 'invalid_request'],
      ['an unknown field', { ...GRANT, ...DEMO, audience: 'x' }, 400, 'invalid_request'],
      [
        'a repeated field',
        'grant_type=client_credentials&client_id=demo&client_id=demo',
        400,
        'invalid_request',
      ],
      ['nothing', '', 400, 'invalid_request'],
      ['a NUL', `grant_type=client_credentials&client_id=%00&client_secret=x`, 400, 'malformed_request'],
    ])('refuses %s in the envelope', async (_what, form, status, code) => {
      const response =
        typeof form === 'string'
          ? await fetch(`${app.url}/auth/token`, {
              method: 'POST',
              headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
              body: form,
            })
          : await post('/auth/token', form);
      const { error } = (await response.json()) as Envelope;
      expect([response.status, error.code]).toEqual([status, code]);
      expect(error.request_id).toBe(response.headers.get('x-request-id'));
    });

    it('takes forms only', async () => {
      const response = await fetch(`${app.url}/auth/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...GRANT, ...DEMO }),
      });
      expect(response.status).toBe(415);
    });
  });

  describe('POST /oauth/token', () => {
    it.each([
      ['form fields', { ...GRANT, ...DEMO }, {}],
      ['HTTP Basic', GRANT, basic('demo', 'demo-secret')],
      [
        'HTTP Basic, and parameters that it does not know',
        { ...GRANT, resource: 'x' },
        basic('demo', 'demo-secret'),
      ],
    ])('authenticates the client by %s', async (_how, form, headers) => {
      const response = await post('/oauth/token', form, headers);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      const { access_token: token } = (await response.json()) as TokenBody;
      expect((await get('/accounts', bearer(token))).status).toBe(200);
    });

    it.each([
      ['a wrong secret in Basic', GRANT, basic('demo', 'x'), 401, 'invalid_client'],
      ['a wrong secret in the form', { ...GRANT, ...DEMO, client_secret: 'x' }, {}, 401, 'invalid_client'],
      ['both ways at once', { ...GRANT, ...DEMO }, basic('demo', 'demo-secret'), 400, 'invalid_request'],
      ['a scope too many', { ...GRANT, scope: 'admin' }, basic('demo', 'demo-secret'), 400, 'invalid_scope'],
      ['another grant', { ...DEMO, grant_type: 'x' }, {}, 400, 'unsupported_grant_type'],
    ])('refuses %s as RFC 6749 says', async (_what, form, headers, status, code) => {
      const response = await post('/oauth/token', form, headers);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({ error: code, error_description: expect.any(String) as string });
      expect(response.headers.get('cache-control')).toBe('no-store');
      const challenged = status === 401 && 'Authorization' in headers;
      expect(response.headers.get('www-authenticate')).toEqual(
        challenged ? expect.stringMatching(/^Basic realm=/) : null,
      );
    });
  });

  describe('the guard', () => {
    it('asks for a credential where none is sent', async () => {
      const response = await get('/accounts');
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="tradepost"');
      expect(((await response.json()) as Envelope).error.code).toBe('authentication_required');
    });

    it.each([
      'Bearer',
      'Bearer x',
      'bearer tpa_0000000000000000000000000000000000000000000',
      'Bearer two words',
      "Bearer ' OR 1=1 --",
      // A JWT whose header says that it is unsigned.
      `Bearer ${[
        { alg: 'none', typ: 'JWT' },
        { sub: 'user:1', scope: 'admin', cid: 'admin' },
      ]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')}.`,
      `Bearer ${'x'.repeat(8_000)}`,
    ])('refuses %s', async (authorization) => {
      const response = await get('/accounts', { Authorization: authorization });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(
        /^Bearer realm="tradepost", error="invalid_token"/,
      );
      expect(((await response.json()) as Envelope).error.code).toBe('invalid_token');
    });

    it('takes no client authentication', async () => {
      const response = await get('/accounts', basic('demo', 'demo-secret'));
      expect(response.status).toBe(401);
      expect(((await response.json()) as Envelope).error.code).toBe('authentication_required');
    });

    it.each(['/accounts', '/markets', '/probe/public', '/health'])(
      'refuses a token in the address of %s, whatever else is sent',
      async (path) => {
        const token = await tokenOf(DEMO);
        for (const query of [`access_token=${token}`, 'limit=1&access%5Ftoken=x', 'access_token=']) {
          const response = await get(`${path}?${query}`, bearer(token));
          expect(response.status).toBe(400);
          expect(response.headers.get('www-authenticate')).toMatch(/error="invalid_request"/);
          expect(((await response.json()) as Envelope).error.code).toBe('invalid_request');
        }
      },
    );

    it('refuses a token in the address of the endpoints of OAuth in their own words', async () => {
      const response = await post('/oauth/token?access_token=x', { ...GRANT, ...DEMO });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: 'invalid_request' });
    });

    it('refuses a token that lacks the scope, and names the scope', async () => {
      const response = await get('/admin/ledger/check', bearer(await tokenOf(DEMO)));
      expect(response.status).toBe(403);
      expect(response.headers.get('www-authenticate')).toBe(
        'Bearer realm="tradepost", error="insufficient_scope", scope="admin operator:finance operator:security operator:read"',
      );
      expect(((await response.json()) as Envelope).error.code).toBe('insufficient_scope');
    });

    it('lets the right scope through, however few the token has', async () => {
      expect((await get('/accounts', bearer(await tokenOf(DEMO, 'account:read')))).status).toBe(200);
      expect((await get('/admin/ledger/check', bearer(await tokenOf(ADMIN)))).status).toBe(200);
    });

    it('refuses a token that was tampered with', async () => {
      const token = await tokenOf(DEMO);
      const others = [token.slice(0, -1), `${token}A`, token.toUpperCase(), `${token.slice(0, -1)}!`];
      for (const other of others) expect((await get('/accounts', bearer(other))).status).toBe(401);
    });

    it('refuses an expired token', async () => {
      const token = await tokenOf(DEMO);
      await database.query(
        `UPDATE oauth_tokens SET expires_at = now() - interval '1 second' WHERE token_hash = $1`,
        [digestOf(token)],
      );
      expect((await get('/accounts', bearer(token))).status).toBe(401);
    });

    it('refuses a revoked token at once where it was revoked', async () => {
      const token = await tokenOf(DEMO);
      expect((await get('/accounts', bearer(token))).status).toBe(200);
      await app.app.nest.get(AccessTokensService).revoke(token);
      expect((await get('/accounts', bearer(token))).status).toBe(401);
    });

    it('knows a user by a session, with all that the user has at this moment', async () => {
      const tokens = app.app.nest.get(AccessTokensService);
      const { rows } = await database.query<{ user_id: string }>(
        `SELECT user_id FROM users WHERE username = 'alice'`,
      );
      const userId = rows[0]?.user_id as string;
      const session = { clientId: null, userId, expiresAt: new Date(Date.now() + 60_000) };
      const scopes = ['account:read', 'admin'];
      await tokens.store({ token: 'tpa_alice', scopes, ...session });
      expect(await (await get('/probe/authenticated', bearer('tpa_alice'))).json()).toEqual({
        key: `user:${userId}`,
      });
      expect((await get('/accounts', bearer('tpa_alice'))).status).toBe(200);
      expect((await get('/admin/ledger/check', bearer('tpa_alice'))).status).toBe(403);

      const authenticator = app.app.nest.get(CredentialAuthenticator);
      await database.query(`UPDATE users SET is_operator = true WHERE user_id = $1`, [userId]);
      authenticator.forgetAllOf(`user:${userId}`);
      expect((await get('/admin/ledger/check', bearer('tpa_alice'))).status).toBe(200);
      await database.query(`UPDATE users SET is_operator = false, user_status = 1 WHERE user_id = $1`, [
        userId,
      ]);
      authenticator.forgetAllOf(`user:${userId}`);
      expect((await get('/accounts', bearer('tpa_alice'))).status).toBe(401);
      await database.query(`UPDATE users SET user_status = 0 WHERE user_id = $1`, [userId]);
    });

    it('ends all sessions of a user at once, but the one that is to stay', async () => {
      const tokens = app.app.nest.get(AccessTokensService);
      const { rows } = await database.query<{ user_id: string }>(
        `SELECT user_id FROM users WHERE username = 'bob'`,
      );
      const userId = rows[0]?.user_id as string;
      const session = { clientId: null, userId, scopes: ['account:read'] };
      for (const token of ['tpa_one', 'tpa_two', 'tpa_three']) {
        await tokens.store({ token, ...session, expiresAt: new Date(Date.now() + 60_000) });
        expect((await get('/accounts', bearer(token))).status).toBe(200);
      }
      await tokens.revokeAllOfUser(userId, 'tpa_two');
      expect((await get('/accounts', bearer('tpa_one'))).status).toBe(401);
      expect((await get('/accounts', bearer('tpa_two'))).status).toBe(200);
      await tokens.revokeAllOfUser(userId);
      expect((await get('/accounts', bearer('tpa_two'))).status).toBe(401);
    });

    it('ends all tokens of a client at once', async () => {
      const token = await tokenOf(DEMO);
      expect((await get('/accounts', bearer(token))).status).toBe(200);
      await app.app.nest.get(AccessTokensService).revokeAllOfClient('demo');
      expect((await get('/accounts', bearer(token))).status).toBe(401);
    });

    it('refuses within a second what another process revoked or narrowed', async () => {
      const [revoked, narrowed] = [await tokenOf(DEMO), await tokenOf(ADMIN)];
      expect((await get('/accounts', bearer(revoked))).status).toBe(200);
      expect((await get('/admin/ledger/check', bearer(narrowed))).status).toBe(200);
      await database.query('DELETE FROM oauth_tokens WHERE token_hash = $1', [digestOf(revoked)]);
      await database.query(`UPDATE oauth_clients SET scopes = '{}' WHERE client_id = 'admin'`);
      await delay(1_000);
      expect((await get('/accounts', bearer(revoked))).status).toBe(401);
      expect((await get('/admin/ledger/check', bearer(narrowed))).status).toBe(403);
      await database.query(`UPDATE oauth_clients SET scopes = '{admin}' WHERE client_id = 'admin'`);
    });

    it('knows an API key, which has its own scopes only', async () => {
      const key = { api_key: 'special-key' };
      expect(await (await get('/probe/pet', key)).json()).toEqual({ key: 'api_key:key_demo' });
      expect((await get('/accounts', key)).status).toBe(403);
    });

    it.each(['Special-Key', 'special-key ,special-key', "' OR 1=1 --", 'x'.repeat(8_000)])(
      'refuses the API key %s',
      async (key) => {
        const response = await get('/probe/pet', { api_key: key });
        expect(response.status).toBe(401);
        expect(response.headers.get('www-authenticate')).toBe('Bearer realm="tradepost"');
        expect(((await response.json()) as Envelope).error.code).toBe('invalid_api_key');
      },
    );

    it('asks for one of several scopes or for all, as a route declares', async () => {
      expect((await get('/probe/both', bearer(await tokenOf(DEMO)))).status).toBe(200);
      const response = await get('/probe/both', bearer(await tokenOf(DEMO, 'markets:trade')));
      expect(response.status).toBe(403);
      expect(response.headers.get('www-authenticate')).toContain('scope="markets:trade account:read"');
    });

    it('lets any principal into a route that asks for no scope', async () => {
      expect((await get('/probe/authenticated')).status).toBe(401);
      expect((await get('/probe/authenticated', { api_key: 'special-key' })).status).toBe(200);
    });

    it('knows who comes to a public route that wants to know, and refuses a bad credential there', async () => {
      expect(await (await get('/probe/public')).json()).toEqual({ key: 'nobody' });
      const token = await tokenOf(DEMO);
      expect(await (await get('/probe/public', bearer(token))).json()).toEqual({ key: 'client:demo' });
      expect((await get('/probe/public', bearer('nonsense'))).status).toBe(401);
      expect((await get('/markets', bearer('nonsense'))).status).toBe(200);
    });

    it('lets the bearer decide where a key comes along', async () => {
      const token = await tokenOf(DEMO);
      expect((await get('/accounts', { ...bearer(token), api_key: 'nonsense' })).status).toBe(200);
      const response = await get('/accounts', { ...bearer('nonsense'), api_key: 'special-key' });
      expect(((await response.json()) as Envelope).error.code).toBe('invalid_token');
    });
  });

  it('writes no secret into its log, whatever goes wrong with it', async () => {
    const log = recordStandardOutput();
    const noisy = await startTestApp({
      logLevel: 'trace',
      seedDemo: false,
      databaseUrl: app.config.databaseUrl,
    });
    const token = await tokenOf(DEMO);
    const secrets = [token, 'demo-secret', 'wrong-secret', 'wrong-key', 'special-key'];
    const form = { method: 'POST', body: new URLSearchParams({ ...GRANT, ...DEMO }) };
    const grantOnly = { method: 'POST', body: new URLSearchParams(GRANT) };
    try {
      await fetch(`${noisy.url}/oauth/token`, form);
      await fetch(`${noisy.url}/oauth/token`, { ...grantOnly, headers: basic('demo', 'wrong-secret') });
      await fetch(`${noisy.url}/auth/token?client_secret=wrong-secret`, form);
      await fetch(`${noisy.url}/accounts?access_token=${token}`, { headers: bearer(token) });
      await fetch(`${noisy.url}/accounts/${token}/nothing`, { headers: { api_key: 'wrong-key' } });
      await fetch(`${noisy.url}/accounts`, { headers: { api_key: 'special-key' } });
    } finally {
      await noisy.close();
      log.stop();
    }
    expect(log.text()).toContain('"route":"/oauth/token","status":401');
    expect(secrets.filter((secret) => log.text().includes(secret))).toEqual([]);
  });

  it('purges tokens that have expired, and no others', async () => {
    const [dead, alive] = [await tokenOf(DEMO), await tokenOf(DEMO)];
    await database.query(
      `UPDATE oauth_tokens SET expires_at = now() - interval '1 second' WHERE token_hash = $1`,
      [digestOf(dead)],
    );
    await app.app.nest.get(Purges).purgeNext();
    const { rows } = await database.query<{ token_hash: string }>('SELECT token_hash FROM oauth_tokens');
    const hashes = rows.map((row) => row.token_hash);
    expect(hashes).toContain(digestOf(alive));
    expect(hashes).not.toContain(digestOf(dead));
  });

  it('stores no secret in a form that could be used', async () => {
    const token = await tokenOf(DEMO);
    const { rows } = await database.query<{ text: string }>(`
      SELECT string_agg(row::text, ' ') AS text FROM (
        SELECT users::text AS row FROM users UNION ALL SELECT oauth_clients::text FROM oauth_clients
        UNION ALL SELECT oauth_tokens::text FROM oauth_tokens UNION ALL SELECT api_keys::text FROM api_keys) rows`);
    for (const secret of [token, 'demo-secret', 'admin-secret', 'special-key', 'alice-password']) {
      expect(rows[0]?.text).not.toContain(secret);
    }
  });
});

describe('failed token requests', () => {
  it('are limited to ten a minute for an address and a client, whatever comes eleventh', async () => {
    const app = await startTestApp({ rateLimits: 'on' });
    const ask = (client: Record<string, string>): Promise<Response> =>
      fetch(`${app.url}/oauth/token`, { method: 'POST', body: new URLSearchParams({ ...GRANT, ...client }) });
    try {
      for (let i = 0; i < 10; i++) {
        expect((await ask({ ...DEMO, client_secret: `guess ${i}` })).status).toBe(401);
        expect((await ask(ADMIN)).status).toBe(200);
      }
      const refused = await ask(DEMO);
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
      expect((await ask(ADMIN)).status).toBe(200);
    } finally {
      await app.close();
    }
  });
});
