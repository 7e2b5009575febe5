import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProbe } from '../../../../test/support/http-probe.js';
import { ConsolePage } from './console-page.js';

const HTML = `<!doctype html><base href="/console/" /><meta name="demo-money" content="false" /><meta name="left-out" content="" /><meta name="plugin-pages" content="[]" /><h1>Console</h1>`;

let folder: string;
let nest: NestExpressApplication;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tradepost-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), HTML);
  await writeFile(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  await writeFile(join(folder, 'assets', 'index-abc.js'), 'export const one = 1;\n'.repeat(200));
  await writeFile(join(folder, 'assets', 'index-abc.js.map'), '{}');
  nest = await startProbe({ console: { folder } });
  url = await nest.getUrl();
});

afterAll(async () => {
  await nest?.close();
  await rm(folder, { recursive: true, force: true });
});

function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url + path, { redirect: 'manual', headers });
}

describe('/', () => {
  it('sends browsers to the console', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const { status, headers } = await get('/', { accept });
    expect([status, headers.get('location')]).toEqual([302, '/console']);
    expect(headers.get('vary')).toContain('Accept');
  });

  it.each(['*/*', 'application/json', 'application/json, text/html', 'image/png'])(
    'is not found for programs, which accept %s',
    async (accept) => {
      const response = await get('/', { accept });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'route_not_found' } });
    },
  );

  it('moves nothing else', async () => {
    const response = await fetch(`${url}/`, {
      method: 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html' },
    });
    expect(response.status).toBe(404);
    expect((await get('/notes/1', { accept: 'text/html' })).status).toBe(200);
  });
});

describe('/console', () => {
  it.each(['/console', '/console/', '/console/callback?code=1', '/console/markets/BTC-USD'])(
    'is the page at %s',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(await response.text()).toContain('<h1>Console</h1>');
    },
  );

  it('runs nothing inline and nothing from elsewhere, and talks to nobody else', async () => {
    const policy = (await get('/console')).headers.get('content-security-policy') ?? '';
    expect(policy.split(';')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toContain('unsafe');
  });

  it('has assets that caches keep for ever, and compressed ones', async () => {
    const response = await get('/console/assets/index-abc.js', { 'accept-encoding': 'br' });
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(await response.text()).toContain('export const one');
  });

  it('revalidates what has no digest in its name', async () => {
    const { headers } = await get('/console/icon.svg');
    expect(headers.get('content-type')).toBe('image/svg+xml');
    const again = await get('/console/icon.svg', { 'if-none-match': headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it.each([
    '/console/assets/index-old.js',
    '/console/assets/index-abc.js.map',
    '/console/assets/../../package.json',
  ])('has no file %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  it('never leaves its folder', async () => {
    for (const path of [
      '/console/%2e%2e/package.json',
      '/console/..%2f..%2fpackage.json',
      '/console//etc/passwd',
    ]) {
      expect(await (await get(path)).text()).not.toMatch(/"name"|root:/);
    }
  });

  it('is not found where it is not built', async () => {
    const bare = await startProbe({ console: { folder: join(folder, 'none') } });
    try {
      const response = await fetch(`${await bare.getUrl()}/console`);
      expect(response.status).toBe(404);
    } finally {
      await bare.close();
    }
  });
});

describe('pages of plugins', () => {
  it('are listed in the page and served beside it, whatever their titles are', async () => {
    const path = join(folder, 'points.page.js');
    await writeFile(path, 'export default () => undefined;');
    const title = `"Points" & <b>$&</b>`;
    const page = new ConsolePage({ path: 'points', title, audience: 'users', script: pathToFileURL(path) });
    const extended = await startProbe({ console: { folder, pages: [{ plugin: 'acme', page }] } });
    try {
      const at = await extended.getUrl();
      const html = await (await fetch(`${at}/console`)).text();
      const [, content = ''] = /name="plugin-pages" content="([^"]*)"/.exec(html) ?? [];
      expect(content).not.toContain('<');
      expect(
        JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')),
      ).toEqual([
        { path: 'plugins/acme/points', title, audience: 'users', script: 'plugins/acme/points.js' },
      ]);
      const script = await fetch(`${at}/console/plugins/acme/points.js`);
      expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(script.headers.get('cache-control')).toBe('no-cache');
      expect(await script.text()).toContain('export default');
      expect(await (await fetch(`${at}/console/plugins/acme/points`)).text()).toContain('<h1>Console</h1>');
    } finally {
      await extended.close();
    }
  });
});

describe('behind a proxy that serves it below a path', () => {
  it('tells the page its path, whether there is demo money, and which groups are left out', async () => {
    const proxied = await startProbe({
      console: { folder, leftOut: ['news', 'chat'] },
      publicUrl: 'https://trade.example/api',
      seedDemo: true,
    });
    try {
      const page = await (await fetch(`${await proxied.getUrl()}/console`)).text();
      expect(page).toContain('<base href="/api/console/" />');
      expect(page).toContain('<meta name="demo-money" content="true" />');
      expect(page).toContain('<meta name="left-out" content="news chat" />');
      const start = await fetch(await proxied.getUrl(), {
        redirect: 'manual',
        headers: { accept: 'text/html' },
      });
      expect(start.headers.get('location')).toBe('/api/console');
    } finally {
      await proxied.close();
    }
  });
});
