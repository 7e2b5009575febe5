import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../support/eventually.js';
import { Site } from './service-under-fire.js';

describe('the built service', () => {
  let site: Site;
  afterEach(async () => {
    await site.close();
  }, 180_000);

  it('answers from the moment that it says it serves, and has told its process by then', async () => {
    site = await Site.empty();
    let service = await site.start();
    for (let round = 0; round < 2; round++) {
      expect(await readFile(join(site.dataDir, 'tradepost.pid'), 'utf8')).toBe(String(service.pid));
      const api = service.client();
      const token = await api.authorize('demo:demo-secret');
      await api.expect(200, 'GET', '/markets/BTC-USD/orderbook', { token });
      const { body } = await api.expect<{ info: { title: string } }>(200, 'GET', '/openapi.json');
      expect(body.info.title).toBe('Tradepost');
      api.close();
      await service.kill();
      service = await site.start();
    }
  }, 180_000);

  it('logs JSON into a pipe, with the migrations in one line', async () => {
    site = await Site.empty();
    const service = await site.start({ LOG_LEVEL: 'info', LOG_FORMAT: '' });
    const lines = service.lastWords.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const line of lines) {
      expect(line).toMatchObject({ level: expect.any(String) as string, msg: expect.any(String) as string });
    }
    const ofDatabase = lines.filter(({ context }) => context === 'Database');
    expect(ofDatabase).toMatchObject([{ msg: expect.stringMatching(/^\d+ migrations applied/) as string }]);
    expect(lines.at(-1)).toMatchObject({
      context: 'Service',
      msg: `Tradepost serves ${service.url}`,
      address: service.url,
    });
    expect(lines.map(({ context }) => context)).not.toContain('WebSocketsController');
    expect(service.lastWords).not.toContain('demo-secret');
  });

  it('begins no empty exchange in production where its database was lost and DATA_DIR was kept', async () => {
    site = await Site.open();
    const service = await site.start();
    await eventually(() => existsSync(join(site.dataDir, 'journal-heads')), 'a head is signed');
    await service.stop();
    await rm(join(site.dataDir, 'postgres'), { recursive: true });
    const production = {
      NODE_ENV: 'production',
      SEED_DEMO: 'false',
      KEYSTORE_PASSPHRASE: 'of this test alone',
    };
    const refused = site.launch(undefined, undefined, production);
    await expect(refused.listening()).rejects.toThrow(
      /cannot be trusted: .* the journal ends at 0.*restore it/,
    );
    await rm(join(site.dataDir, 'journal-heads'), { recursive: true });
    await site.start(production);
  });

  it('shows people where to go, with LOG_FORMAT=text', async () => {
    site = await Site.open();
    const service = site.launch(undefined, undefined, { LOG_LEVEL: 'info', LOG_FORMAT: 'text' });
    await vi.waitFor(() => expect(service.lastWords).toContain('Ctrl-C stops it.'), { timeout: 60_000 });
    expect(service.lastWords).toMatch(/^ {2}Address +http:\/\/127\.0\.0\.1:\d+$/m);
    expect(service.lastWords).toContain('demo / demo-secret');
    expect(service.lastWords).toMatch(/^\d\d:\d\d:\d\d info {2}Core: leading the core/m);
    expect(service.lastWords).not.toContain('{"level"');
  });

  it('names the lines of its sources where an error is logged', async () => {
    site = await Site.open();
    const service = await site.start();
    await site.query('ALTER TABLE pets RENAME TO pets_elsewhere');
    const answer = await fetch(`${service.url}/pet/1`, { headers: { api_key: 'special-key' } });
    expect(answer.status).toBe(500);
    await service.stop();
    expect(service.lastWords).toMatch(/src\/modules\/pets\/[\w/.-]+\.ts:\d+:\d+/);
    expect(service.lastWords).not.toContain('dist/bundle/service.cjs');
  });
});
