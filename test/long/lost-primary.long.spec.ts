import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, callerFor, type Json } from '../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../support/clients/markets-client.js';
import { verifyJournal } from '../../src/core/journal/journal-verifier.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { eventually, onClient } from '../support/core.js';
import { type PgCluster, startPgCluster } from '../support/pg-cluster.js';

describe('a service whose primary burns down', () => {
  let cluster: PgCluster;
  let service: TestApp;
  let demo: Caller;
  let operator: Caller;
  let market: string;
  const acknowledged: string[] = [];
  beforeAll(async () => {
    cluster = await startPgCluster();
    service = await startTestApp({
      databaseUrl: cluster.url,
      databaseSyncStandby: 'required',
      rateLimits: 'off',
    });
    [demo, operator] = await Promise.all([callerFor(service.url, 'demo'), callerFor(service.url, 'admin')]);
    market = await createMarket(operator, 'BURNS');
  }, 120_000);
  afterAll(async () => {
    await service?.close();
    await cluster?.stop();
  });

  /** Sends an order until it is answered, under the same key, as a careful client does. */
  const place = async (key: string): Promise<void> => {
    const order = { ...limit(market, 'buy', '1.00', '1'), client_order_id: key };
    await eventually(async () => {
      const { status, body } = await demo.post('/orders', order);
      if (status === 201 || status === 200) acknowledged.push(body.order_id);
      else expect(status).toBe(503);
      return status < 300;
    }, `${key} is answered`);
  };
  const health = async (): Promise<Json> => {
    const { body } = await operator.get('/health');
    return body.checks;
  };

  it('goes on with the standby, and has lost nothing', async () => {
    for (let index = 0; index < 20; index++) await place(`before-${index}`);
    for (let round = 0; round < 2; round++) {
      const orders = Array.from({ length: 5 }, (_, index) => place(`during-${round}-${index}`));
      await cluster.destroyPrimary();
      await cluster.promote({ waitsForStandby: true });
      await cluster.attachStandby();
      await Promise.all(orders);
      await place(`after-${round}`);
    }
    const open = await demo.walk(`/orders?market_id=${market}`, 100);
    expect(open.map(({ order_id }: Json) => order_id).sort()).toEqual(acknowledged.slice().sort());
    await expectBalancedBooks(operator);
    const verification = await onClient(cluster.primary.url, (client) => verifyJournal(client));
    expect(verification).toMatchObject({ ok: true });
  }, 120_000);

  it('stops leading once commits wait for no standby, and leads again with one', async () => {
    await cluster.requireNobody();
    await eventually(
      async () => (await demo.post('/orders', limit(market, 'buy', '1.00', '1'))).status === 503,
      'orders are refused',
    );
    const checks = await health();
    expect(checks.find(({ name }: Json) => name === 'sync_standby')).toMatchObject({
      healthy: false,
      detail: expect.stringContaining('synchronous_standby_names is empty'),
    });
    await cluster.requireStandby();
    await place('once-more');
  });
});
