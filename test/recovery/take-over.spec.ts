import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiClient } from '../../scripts/support/api-client.js';
import { lockProjection, prolongLeases } from '../support/core.js';
import { eventually } from '../support/eventually.js';
import { checkBooks, OrderLoad } from './order-load.js';
import { Site } from './service-under-fire.js';

const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '10', size: '0.01' };

describe('two processes on one database', () => {
  let site: Site;
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(async () => {
    await site.close();
  }, 180_000);

  const verified = async (): Promise<void> => {
    const { code, said } = await site.verify();
    expect({ code, said }).toMatchObject({ code: 0, said: expect.stringContaining('Verified') as string });
  };

  it('have one writer; the other refuses, and takes over as soon as the first is killed', async () => {
    const first = await site.start();
    const second = await site.start();
    const standby = second.client();
    const token = await standby.authorize('demo:demo-secret');
    for (let attempt = 0; attempt < 3; attempt++) {
      const refused = await standby.call('POST', '/orders', { token, json: ORDER });
      expect(refused).toMatchObject({ status: 503, body: { error: { code: 'temporarily_unavailable' } } });
    }
    expect(await standby.call('GET', '/markets/BTC-USD/orderbook')).toMatchObject({ status: 503 });

    const load = new OrderLoad('over');
    await load.turnTo(first.url);
    load.start();
    await delay(1_000);
    // A killed leader frees its lock at once, so no take-over waits for its lease.
    await prolongLeases(await site.databaseUrl());
    await first.kill();
    const killedAtMs = Date.now();
    await load.turnTo(second.url);
    await untilTaken(standby, token);
    process.stderr.write(`take-over: ${Date.now() - killedAtMs} ms from the kill to the first order\n`);
    await delay(500);
    await load.finish();
    await load.check(second.url);
    await checkBooks(standby);
    standby.close();
    expect(await second.stop()).toBe(0);
    await verified();
  });

  it('bring their database back together, and one of them leads', async () => {
    const services = [await site.start(), await site.start()];
    const load = new OrderLoad('shared');
    await load.turnTo(services[0]!.url);
    load.start();
    for (let round = 0; round < 2; round++) {
      await delay(800);
      (await site.aimAtPostgres()).kill();
      await load.turnTo(await leaderAmong(services.map(({ url }) => url)));
    }
    await delay(500);
    await load.finish();
    const leader = await leaderAmong(services.map(({ url }) => url));
    await load.check(leader);
    await load.checkRepeats(20);
    expect(await Promise.all(services.map((service) => service.stop()))).toEqual([0, 0]);
    await verified();
  });

  it('stay one writer when the first is frozen past its lease and wakes up again', async () => {
    const first = await site.start();
    const second = await site.start();
    const load = new OrderLoad('frozen');
    await load.turnTo(first.url);
    load.start();
    await delay(1_000);
    await load.finish();
    const frozen = first.client();
    const leading = second.client();
    const token = await leading.authorize('demo:demo-secret');
    // Its last commit stays out of the tables: it is suspended with a window in flight, which nobody executes.
    const held = await lockProjection(await site.databaseUrl());
    const last = Array.from({ length: 20 }, (_, index) => `last-${index}`);
    for (const client_order_id of last)
      await frozen.expect(201, 'POST', '/orders', { token, json: { ...ORDER, client_order_id } });
    expect(await site.commitsBehind()).toBeGreaterThan(0);
    // Keep-alive connections to the first stay open; requests sent on them now wait in their buffers.
    first.signal('SIGSTOP');
    expect(await site.cut('projector')).toBe(1);
    await held.release();
    const sentWhileFrozen = Array.from({ length: 5 }, (_, index) =>
      frozen.call<{ error: { code: string } }>('POST', '/orders', {
        token,
        json: { ...ORDER, client_order_id: `zombie-${index}` },
      }),
    );
    const readWhileFrozen = frozen.call('GET', '/markets/BTC-USD/orderbook');
    await untilTaken(leading, token);
    first.signal('SIGCONT');

    // Whatever it answers now must not be its stale state.
    expect(await readWhileFrozen).toMatchObject({ status: 503 });
    for (const { status, body } of await Promise.all(sentWhileFrozen)) {
      expect({ status, body }).toMatchObject({ status: 503 });
    }
    for (let attempt = 0; attempt < 10; attempt++) {
      expect(await frozen.call('GET', '/markets/BTC-USD/orderbook')).toMatchObject({ status: 503 });
      expect(await frozen.call('POST', '/orders/preview', { token, json: ORDER })).toMatchObject({
        status: 503,
      });
      expect(await frozen.call('POST', '/orders', { token, json: ORDER })).toMatchObject({ status: 503 });
      await leading.expect(201, 'POST', '/orders', { token, json: ORDER });
    }
    // The new leader has brought the tables up; the first must not write its window again.
    await leading.expect(200, 'GET', '/orders', { token });
    const stored = await site.query<{ client_order_id: string }>(
      `SELECT client_order_id FROM orders WHERE client_order_id ~ '^(zombie|last)-' ORDER BY order_id`,
    );
    expect(stored.map(({ client_order_id }) => client_order_id)).toEqual(last);
    await checkBooks(leading);

    // It then works as a standby.
    await prolongLeases(await site.databaseUrl());
    await second.kill();
    await untilTaken(frozen, token);
    await load.check(first.url);
    await checkBooks(frozen);
    frozen.close();
    leading.close();
    await verified();
  });
});

/** Resolves once a process accepts orders. */
function untilTaken(api: ApiClient, token: string): Promise<void> {
  return eventually(
    async () => (await api.call('POST', '/orders', { token, json: ORDER })).status === 201,
    'orders are taken again',
  );
}

/** The address among these that accepts orders, once there is one. */
function leaderAmong(urls: readonly string[]): Promise<string> {
  return eventually(async () => {
    for (const url of urls) {
      const api = new ApiClient(url);
      const answer = await api
        .authorize('demo:demo-secret')
        .then((token) => api.call('POST', '/orders', { token, json: ORDER }))
        .catch(() => undefined);
      api.close();
      if (answer?.status === 201) return url;
    }
    throw new Error('nobody took the lead');
  });
}
