import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.close());

const request = (path: string, init?: RequestInit): Promise<Response> => fetch(`${service.url}${path}`, init);

const tokenOf = async (client: string): Promise<string> => {
  const response = await request('/oauth/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client,
      client_secret: `${client}-secret`,
    }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
};

describe('health', () => {
  it('tells the public the status alone', async () => {
    const response = await request('/health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
    expect((await request('/health/live')).status).toBe(200);
    expect((await request('/health/ready')).status).toBe(200);
  });

  it('tells operators every check', async () => {
    const response = await request('/health', {
      headers: { authorization: `Bearer ${await tokenOf('admin')}` },
    });
    const { checks } = (await response.json()) as {
      checks: { name: string; healthy: boolean; detail: string }[];
    };
    expect(checks.map((check) => check.name)).toEqual([
      'database',
      'leadership',
      'sequencer',
      'projection',
      'draining',
      'followers',
      'consumers',
      'markets',
      'clock',
      'sync_standby',
    ]);
    expect(checks.every((check) => check.healthy)).toBe(true);
    const { detail } = checks.find(({ name }) => name === 'followers')!;
    for (const follower of ['tables', 'proof', 'fills', 'candles', 'balances', 'webhook events'])
      expect(detail).toMatch(new RegExp(`\\b${follower} \\d+\\.\\d s`));
  });

  it('does not ignore a bad credential', async () => {
    expect((await request('/health', { headers: { authorization: 'Bearer nonsense' } })).status).toBe(401);
  });
});

describe('metrics', () => {
  it('are for operators', async () => {
    expect((await request('/metrics')).status).toBe(401);
    const demo = await tokenOf('demo');
    expect((await request('/metrics', { headers: { authorization: `Bearer ${demo}` } })).status).toBe(403);
  });

  it('count requests by route template, and tell of the core', async () => {
    await request('/markets/BTC-USD');
    const response = await request('/metrics', {
      headers: { authorization: `Bearer ${await tokenOf('admin')}` },
    });
    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await response.text();
    expect(text).toMatch(
      /http_request_duration_seconds_count\{.*route="\/markets\/:market_id".*status="200".*\} 1/,
    );
    expect(text).toMatch(/tradepost_core_/);
  });
});

describe('documents', () => {
  it('describe every group, scheme and failure', async () => {
    const document = (await (await request('/openapi.json')).json()) as {
      openapi: string;
      tags: { name: string }[];
      components: { securitySchemes: Record<string, unknown> };
      paths: Record<string, Record<string, { responses: Record<string, unknown>; tags?: string[] }>>;
    };
    expect(document.openapi).toBe('3.1.0');
    expect(document.tags.map((tag) => tag.name)).toEqual([
      'Pets',
      'Store',
      'Users',
      'Auth',
      'Markets',
      'Exchange',
      'Wallets',
      'Banking',
      'Proof',
      'News',
      'Chat',
      'Blog',
      'Admin',
    ]);
    expect(Object.keys(document.components.securitySchemes)).toEqual([
      'client_credentials',
      'authorization_code',
      'implicit',
      'session',
      'api_key',
      'signature',
      'stream_ticket',
      'client_basic',
      'user_basic',
    ]);
    for (const operations of Object.values(document.paths)) {
      for (const operation of Object.values(operations)) {
        expect(operation.responses).toHaveProperty('default');
        expect(operation.tags).toHaveLength(1);
      }
    }
  });

  it('are served by audience, in both versions, and refuse an audience that there is not', async () => {
    const pathsOf = async (path: string): Promise<{ openapi: string; paths: Record<string, object> }> =>
      (await (await request(path)).json()) as { openapi: string; paths: Record<string, object> };
    const trading = await pathsOf('/openapi.json?audience=trading');
    expect(trading.openapi).toBe('3.1.0');
    expect(trading.paths).toHaveProperty(['/orders', 'post']);
    expect(trading.paths).not.toHaveProperty(['/admin/markets']);
    const explored = await pathsOf('/docs/openapi.json?audience=operator,public');
    expect(explored.openapi).toBe('3.0.3');
    expect(explored.paths).toHaveProperty(['/admin/markets', 'post']);
    expect(explored.paths).not.toHaveProperty(['/orders']);
    for (const path of ['/openapi.json', '/docs/openapi.json']) {
      for (const query of [
        'audience=',
        'audience=nobody',
        'audience=trading&audience=public',
        'audience=__proto__',
      ]) {
        const refused = await request(`${path}?${query}`);
        expect(refused.status, query).toBe(400);
        expect(await refused.json(), query).toMatchObject({ error: { code: 'validation_failed' } });
      }
    }
  });

  it('are told in words, too: errors by code, and all for language models', async () => {
    const errors = await (await request('/docs/errors')).text();
    expect(errors).toContain('<section id="insufficient_funds">');
    expect(errors).toContain('<code>POST /orders</code>');
    expect(await (await request('/llms.txt')).text()).toContain('`POST /orders`');
    expect(await (await request('/llms-full.txt')).text()).toContain('### POST /orders');
  });

  it('name routes near to one that there is not, and CORS_ORIGINS to a preflight', async () => {
    expect(await (await request('/order/ord_1')).json()).toMatchObject({
      error: {
        code: 'route_not_found',
        message: expect.stringContaining('GET /orders/{order_id}') as string,
      },
    });
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    const preflight = await request('/orders', { method: 'OPTIONS', headers });
    expect(preflight.status).toBe(405);
    expect(await preflight.json()).toMatchObject({
      error: { message: expect.stringContaining('CORS_ORIGINS') as string },
    });
  });

  it('are shown by Swagger UI under a policy that lets it run', async () => {
    const page = await request('/docs');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(await page.text()).toContain(`${service.url}/docs/oauth2-redirect.html`);
    expect((await request('/docs/explorer.js')).status).toBe(200);
    expect((await request('/docs/oauth2-redirect.html')).status).toBe(200);
    expect((await request('/docs/swagger-ui-bundle.js')).status).toBe(200);
  });
});
