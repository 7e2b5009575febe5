import express, { type Application } from 'express';
import { beforeAll, describe, expect, it } from 'vitest';
import { passOverUnlikeRoutes } from './routes.js';

/** Routes of every kind in the service and its plugins; several overlap. */
const ROUTES = [
  ['get', '/'],
  ['get', '/user/login'],
  ['get', '/user/:username'],
  ['put', '/user/:username'],
  ['post', '/orders'],
  ['post', '/orders/batch'],
  ['get', '/orders/:order_id'],
  ['get', '/o'],
  ['get', '/o/:id'],
  ['get', '/.well-known/oauth-authorization-server'],
  ['get', '/sitemap.xml'],
  ['get', '/Mixed-Case_1'],
  ['get', '/:tenant/orders'],
  ['get', '/or{der}'],
  ['get', '/files/*path'],
  ['get', '/{*rest}'],
] as const;

const MOUNTED = ['/docs', '/docs/assets', '/', '/or'] as const;

const PATHS = [
  ...[
    '/',
    '//',
    '',
    '/o',
    '/O',
    '/o/',
    '/o/1',
    '/or',
    '/order',
    '/ordersX',
    '/ORDERS',
    '/orders/',
    '/orders/1/2',
  ],
  ...['/orders', '/orders/batch', '/OrDeRs/Batch/', '/orders/%6Frd', '/%6Frders', '/orders/%zz', '//orders'],
  ...[
    '/user',
    '/user/login',
    '/USER/LOGIN',
    '/user/login/',
    '/user/a%2Fb',
    '/us',
    '/u',
    '/uſer',
    '/acme/orders',
  ],
  ...[
    '/.well-known/oauth-authorization-server',
    '/\u000ewell-known',
    '/sitemap.xml',
    '/SITEMAP.XML',
    '/sitemapaxml',
  ],
  ...[
    '/mixed-case_1',
    '/mixed-case\u007f1',
    '/files/a/b',
    '/files',
    '/docs',
    '/docs/assets/x',
    '/Docs?x=1',
    '/docsX',
  ],
];

interface Layer {
  match(path: string): unknown;
}

function layersOf(app: Application): readonly Layer[] {
  return (app.router as unknown as { readonly stack: readonly Layer[] }).stack;
}

function newApp(): Application {
  const app = express();
  for (const path of MOUNTED) app.use(path, (_request, _response, next) => next());
  for (const [method, path] of ROUTES) app[method](path, (_request, response) => void response.end());
  app.get(/^\/orders\/\d+$/, (_request, response) => void response.end());
  app.get(['/either', '/or'], (_request, response) => void response.end());
  return app;
}

/** What each layer matches in a path: nothing, its parameters, or a decoding error. */
function findings(app: Application, path: string): unknown[] {
  return layersOf(app).map((layer) => {
    try {
      return layer.match(path) || 'nothing';
    } catch (error) {
      return String(error);
    }
  });
}

describe('passOverUnlikeRoutes', () => {
  const [before, after] = [newApp(), newApp()];
  beforeAll(() => passOverUnlikeRoutes(after));

  it.each(PATHS)('leaves every route and middleware its meaning for %j', (path) => {
    expect(findings(after, path)).toEqual(findings(before, path));
  });

  it('asks no route whose path begins otherwise', () => {
    const app = express();
    app.get('/orders/:order_id', (_request, response) => void response.end());
    const [layer] = layersOf(app) as [Layer];
    let asked = 0;
    const match = layer.match.bind(layer);
    layer.match = (path) => {
      asked++;
      return match(path);
    };
    passOverUnlikeRoutes(app);
    layer.match('/markets');
    expect(asked).toBe(0);
    layer.match('/orders/1');
    expect(asked).toBe(1);
  });
});
