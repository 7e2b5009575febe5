import type { OpenAPIObject } from '@nestjs/swagger';
import type { Application } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/platform/security/scopes.js';
import { startTestApp, type TestApp } from '../support/app.js';

/** Every route that anyone may call. A new one is a decision: it is made here, and nowhere by accident. */
const PUBLIC_ROUTES = [
  'GET /.well-known/oauth-authorization-server',
  'GET /health',
  'GET /health/live',
  'GET /health/ready',
  'GET /markets',
  'GET /markets/:market_id',
  'GET /markets/:market_id/candles',
  'GET /markets/:market_id/orderbook',
  'GET /markets/:market_id/trades',
  'GET /oauth/authorize',
  'GET /oauth/pages.css',
  'POST /auth/token',
  'POST /oauth/consent',
  'POST /oauth/introspect',
  'POST /oauth/login',
  'POST /oauth/revoke',
  'POST /oauth/token',
];

/** What the pages of the authorization endpoint call, and nobody else: no part of the interface. */
const PAGE_ROUTES = ['GET /oauth/pages.css', 'POST /oauth/consent', 'POST /oauth/login'];

/** Swagger UI's own files; the document does not describe itself. */
const DOCUMENTATION = /^GET [/](docs|openapi[.]json)/;

interface Route {
  readonly method: string;
  /** As the router knows it, such as `/orders/:order_id`. */
  readonly template: string;
  readonly name: string;
}

interface RouterLayer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

let service: TestApp;
let routes: Route[];
let document: OpenAPIObject;

beforeAll(async () => {
  service = await startTestApp();
  routes = routesOf(service.app.nest.getHttpAdapter().getInstance() as Application);
  document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenAPIObject;
});
afterAll(() => service.close());

describe('every route', () => {
  it('is found by the walk', () => {
    expect(routes.length).toBeGreaterThan(25);
    expect(routes.map(({ name }) => name)).toEqual(expect.arrayContaining(PUBLIC_ROUTES));
    expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  });

  it('is in the document, and the document has no other', () => {
    const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = routes
      .filter(({ name }) => !PAGE_ROUTES.includes(name))
      .map((route) => `${route.method} ${documentPath(route)}`);
    expect(documented.sort()).toEqual(expected.sort());
  });

  it('answers 401 without a credential, unless it is public', async () => {
    for (const route of routes) {
      const response = await call(route);
      if (PUBLIC_ROUTES.includes(route.name)) {
        expect([401, 403, 500], route.name).not.toContain(response.status);
      } else {
        expect(response.status, route.name).toBe(401);
        expect(response.headers.get('www-authenticate'), route.name).toMatch(/^Bearer/);
        expect(await response.json(), route.name).toMatchObject({
          error: { code: 'authentication_required' },
        });
      }
    }
  });

  it('answers 401 to a credential that nobody issued, unless it is public', async () => {
    for (const route of routes.filter(({ name }) => !PUBLIC_ROUTES.includes(name))) {
      expect((await call(route, bearer('nonsense'))).status, route.name).toBe(401);
      expect((await call(route, { api_key: 'nonsense' })).status, route.name).toBe(401);
    }
  });

  it('says in the document what it demands', () => {
    for (const route of routes) {
      expect(alternativesOf(route).length > 0, route.name).toBe(!PUBLIC_ROUTES.includes(route.name));
    }
  });

  it('answers 403 to a token with every scope but the ones it needs', async () => {
    for (const route of routes) {
      const needed = new Set(alternativesOf(route).flat());
      if (needed.size === 0) continue;
      const others = DEMO_SCOPES.filter((scope) => !needed.has(scope));
      const response = await call(route, bearer(await tokenFor('demo', others)));
      expect(response.status, route.name).toBe(403);
      expect(response.headers.get('www-authenticate'), route.name).toContain('error="insufficient_scope"');
      expect(await response.json(), route.name).toMatchObject({ error: { code: 'insufficient_scope' } });
    }
  });

  it('lets a token with nothing but a scope that it names through', async () => {
    for (const route of routes) {
      for (const scopes of alternativesOf(route).filter((alternative) => alternative.length > 0)) {
        const client = scopes.includes('admin') ? 'admin' : 'demo';
        const response = await call(route, bearer(await tokenFor(client, scopes)));
        expect([401, 403, 500], `${route.name} with ${scopes.join(' ')}`).not.toContain(response.status);
      }
    }
  });
});

/** All that the demo client may ask for. */
const DEMO_SCOPES = Object.keys(SCOPES).filter((scope) => scope !== 'admin' && !scope.endsWith(':pets'));

function routesOf(app: Application): Route[] {
  const { stack } = app.router as unknown as { readonly stack: readonly RouterLayer[] };
  return stack
    .flatMap(({ route }) =>
      Object.keys(route?.methods ?? {}).map((verb) => {
        const method = verb.toUpperCase();
        const template = route?.path ?? '';
        return { method, template, name: `${method} ${template}` };
      }),
    )
    .filter(({ name }) => !DOCUMENTATION.test(name));
}

function documentPath({ template }: Route): string {
  return template.replaceAll(/:(\w+)/g, '{$1}');
}

/** The sets of scopes, each of which suffices; an empty set stands for any credential. */
function alternativesOf(route: Route): string[][] {
  const path = document.paths[documentPath(route)] as
    Record<string, { security?: Record<string, string[]>[] }> | undefined;
  return (path?.[route.method.toLowerCase()]?.security ?? []).flatMap((alternative) =>
    Object.values(alternative),
  );
}

/** Calls a route with a body that it refuses, for something that does not exist. */
function call({ method, template }: Route, headers: Record<string, string> = {}): Promise<Response> {
  const path = template.replaceAll(/:\w+/g, 'nothing');
  if (method === 'GET' || method === 'DELETE') return fetch(`${service.url}${path}`, { method, headers });
  return fetch(`${service.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: '{"unknown":true}',
  });
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

const tokens = new Map<string, Promise<string>>();

function tokenFor(client: string, scopes: readonly string[]): Promise<string> {
  const key = `${client} ${scopes.join(' ')}`;
  const token = tokens.get(key) ?? requestToken(client, scopes);
  tokens.set(key, token);
  return token;
}

async function requestToken(client: string, scopes: readonly string[]): Promise<string> {
  const response = await fetch(`${service.url}/auth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client,
      client_secret: `${client}-secret`,
      scope: scopes.join(' '),
    }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { access_token: string }).access_token;
}
