import { io, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../scripts/support/api-client.js';
import { eventually } from '../support/core.js';
import { checkBooks } from './order-load.js';
import { type ServiceProcess, Site } from './service-under-fire.js';

const ORDER = { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '1', size: '1' };
const BEYOND_THE_CRASH_MS = 3_000;

describe('kill -9 while switches are armed', () => {
  let site: Site;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    site = await Site.open();
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.disconnect();
    await site.close();
  }, 180_000);

  const tokenOf = (api: ApiClient, client: string): Promise<string> =>
    api.authorize(`${client}:${client}-secret`);

  const liveOrders = async (api: ApiClient, token: string, account = 'me'): Promise<number> => {
    const path = `/orders?status=open,untriggered&account_id=${account}`;
    const { body } = await api.expect<{ data: unknown[] }>(200, 'GET', path, { token });
    return body.data.length;
  };

  it('carries out after the restart what was armed before it, once, and nothing else', async () => {
    let service: ServiceProcess = await site.start();
    let api = service.client();
    const [demo, maker, operator] = [
      await tokenOf(api, 'demo'),
      await tokenOf(api, 'maker'),
      await tokenOf(api, 'admin'),
    ];
    const { body: unarmed } = await api.expect<{ account_id: string }>(201, 'POST', '/admin/accounts', {
      token: operator,
      json: { name: 'Unarmed', owner: 'client:demo' },
    });
    for (const token of [demo, maker]) await api.expect(201, 'POST', '/orders', { token, json: ORDER });
    // A stop holds no money, and this account has none.
    const stop = {
      ...ORDER,
      type: 'stop',
      price: null,
      stop_price: '100000',
      account_id: unarmed.account_id,
    };
    await api.expect(201, 'POST', '/orders', { token: demo, json: stop });
    const socket = io(`${service.url}/account`, {
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      auth: { token: demo },
    });
    sockets.push(socket);
    expect(await socket.emitWithAck('orders.cancel_on_disconnect', { enabled: true })).toHaveProperty('data');
    await api.expect(200, 'POST', '/orders/cancel-after', {
      token: maker,
      json: { timeout_ms: BEYOND_THE_CRASH_MS },
    });

    await service.kill();
    service = await site.start();
    api = service.client();
    await eventually(async () => (await liveOrders(api, demo)) === 0, 'the lost connection cancels');
    await eventually(async () => (await liveOrders(api, maker)) === 0, 'the timer cancels');
    expect(await liveOrders(api, demo, unarmed.account_id)).toBe(1);
    await eventually(async () => {
      return (await site.query('SELECT 1 FROM cancel_switches')).length === 0;
    }, 'switches that were carried out are off');
    for (const token of [demo, maker]) {
      await api.expect(201, 'POST', '/orders', { token, json: ORDER });
      expect(await liveOrders(api, token)).toBe(1);
    }
    await checkBooks(api);
    expect(await service.stop()).toBe(0);
  }, 180_000);
});
