import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { checkBooks, OrderLoad } from './order-load.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

const ORDER = {
  market_id: 'BTC-USD',
  side: 'buy',
  type: 'limit',
  price: '10',
  size: '0.01',
  client_order_id: 'kept',
};

const pidFileOf = ({ dataDir }: Site): string => join(dataDir, 'tradepost.pid');

describe('a stop by signal', () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(async () => {
    await site.close();
  }, 180_000);

  it('under load ends with code 0, loses nothing, and leaves nobody who was waiting without an answer', async () => {
    let service = await site.start();
    const pidFile = pidFileOf(site);
    const load = new OrderLoad('stop');
    await load.turnTo(service.url);
    load.start();
    for (let round = 0; round < 2; round++) {
      await delay(1_000);
      const stoppedAtMs = Date.now();
      const unanswered = load.broken.length;
      expect(await readFile(pidFile, 'utf8')).toBe(String(service.pid));
      expect(await service.stop()).toBe(0);
      await expect(readFile(pidFile)).rejects.toThrow('ENOENT');
      // A refused connection was opened after the signal; no accepted request is dropped.
      const dropped = load.broken.slice(unanswered).filter(({ sentAtMs }) => sentAtMs < stoppedAtMs);
      expect(dropped).toEqual([]);
      service = await site.start();
      await load.turnTo(service.url);
    }
    await delay(500);
    await load.finish();
    await load.check(service.url);
    const books = await checkBooks(service.client());
    expect(await service.stop()).toBe(0);
    const { code, said } = await site.verify();
    expect({ code, said }).toMatchObject({
      code: 0,
      said: expect.stringContaining(books.state_hash) as string,
    });
  });

  it.each([
    ['SIGTERM to npm', (npm: ServiceProcess) => npm.stop()],
    ['Ctrl-C in the terminal of npm', (npm: ServiceProcess) => npm.interruptAll()],
  ])('by %s ends npm and the service with code 0', async (_how, stop) => {
    const first = await site.startByNpm();
    const api = first.client();
    const token = await api.authorize('demo:demo-secret');
    const { body: placed } = await api.expect<{ order_id: string }>(201, 'POST', '/orders', {
      token,
      json: ORDER,
    });
    api.close();
    expect(await stop(first)).toBe(0);
    await expect(site.query('SELECT 1')).rejects.toThrow();

    const second = await site.startByNpm();
    const again = second.client();
    const repeat = await again.expect<{ order_id: string }>(200, 'POST', '/orders', { token, json: ORDER });
    expect(repeat.body.order_id).toBe(placed.order_id);
    again.close();
    expect(await second.stop()).toBe(0);
  });

  it('by a closed terminal drains, and ends the database too', async () => {
    const first = await site.startByNpm();
    const api = first.client();
    const token = await api.authorize('demo:demo-secret');
    await api.expect(201, 'POST', '/orders', { token, json: ORDER });
    api.close();
    // npm ends at once; the service goes on until it has drained.
    await first.hangUp();
    await eventually(
      () =>
        readFile(pidFileOf(site)).then(
          () => false,
          () => true,
        ),
      'the service has ended',
    );
    await expect(site.query('SELECT 1')).rejects.toThrow();
    const second = await site.start();
    expect(await second.stop()).toBe(0);
  });

  it('is followed by no start where somebody has edited the orders meanwhile', async () => {
    const service = await site.start();
    const api = service.client();
    const token = await api.authorize('demo:demo-secret');
    await api.expect(201, 'POST', '/orders', { token, json: ORDER });
    // A read proves that it is in its table.
    await api.expect(200, 'GET', '/orders', { token });
    api.close();
    await site.query('UPDATE orders SET remaining_lots = remaining_lots - 1');
    await service.kill();
    await expect(site.start()).rejects.toThrow(
      /The database cannot be trusted: the stored orders do not match/,
    );
    expect(await site.verify()).toMatchObject({ code: 1 });
  });
});
