import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Site } from './service-under-fire.js';

describe('the built service', () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(async () => {
    await site.close();
  }, 120_000);

  it('answers from the moment that it says it serves, and has told its process by then', async () => {
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
  });

  it('names the lines of its sources where an error is logged', async () => {
    const service = await site.start();
    await site.query('ALTER TABLE pets RENAME TO pets_elsewhere');
    const answer = await fetch(`${service.url}/pet/1`, { headers: { api_key: 'special-key' } });
    expect(answer.status).toBe(500);
    await service.stop();
    expect(service.lastWords).toMatch(/src\/modules\/pets\/[\w/.-]+\.ts:\d+:\d+/);
    expect(service.lastWords).not.toContain('dist/bundle/start.js');
  });
});
