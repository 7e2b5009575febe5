import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import { lockProjection, queryOnce } from '../../support/core.js';
import { type Caller, callerFor, type Json, tokenFor } from '../../support/caller.js';
import { createMarket, expectBalancedBooks, limit } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

describe('tables that cannot be written', () => {
  let app: TestApp;
  let demo: Caller;
  let operator: Caller;
  let operatorToken: string;
  let market: string;
  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    [demo, operator, operatorToken] = await Promise.all([
      callerFor(app.url, 'demo'),
      callerFor(app.url, 'admin'),
      tokenFor(app.url, 'admin'),
    ]);
    market = await createMarket(operator, 'UNWRITTEN');
  });
  afterAll(() => app.close());

  const check = async (): Promise<Json> => {
    const { body } = await operator.get('/health');
    return body.checks.find(({ name }: Json) => name === 'projection');
  };
  const metric = async (name: string): Promise<number> => {
    const headers = { authorization: `Bearer ${operatorToken}` };
    const text = await (await fetch(`${app.url}/metrics`, { headers })).text();
    return Number(new RegExp(`^tradepost_${name} (\\S+)$`, 'm').exec(text)![1]);
  };
  const query = (text: string) => queryOnce(app.config.databaseUrl!, text);

  it.each([
    {
      what: 'since somebody holds them',
      reason: 'the oldest commit waits for',
      block: () => lockProjection(app.config.databaseUrl!),
    },
    {
      what: 'since the server refuses',
      reason: 'the disk is full',
      block: async () => {
        await query(
          `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100';
           END $$;
           CREATE TRIGGER refuse BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION refuse();`,
        );
        const release = async (): Promise<void> => {
          await query('DROP TRIGGER refuse ON orders; DROP FUNCTION refuse()');
        };
        return { release };
      },
    },
  ])('keep no order from being durable, and are told, $what', async ({ reason, block }) => {
    await demo.get('/orders');
    const { release } = await block();
    const placed: string[] = [];
    try {
      for (let count = 0; count < 5; count++)
        placed.push((await demo.place(limit(market, 'buy', '10', '1'))).order_id);
      expect(await metric('core_projection_waiting_rows')).toBeGreaterThan(0);
      expect(await metric('core_projection_sequence')).toBeLessThan(await metric('core_sequence'));
      // A reader never gets an older state than the client knows; it is asked to retry.
      const read = await demo.get(`/orders/${placed[0]}`);
      expect(read).toMatchObject({ status: 503, body: { error: { code: 'temporarily_unavailable' } } });
      expect(read.headers.get('retry-after')).not.toBeNull();
      await eventually(async () =>
        expect(await check()).toEqual({
          name: 'projection',
          healthy: false,
          detail: expect.stringContaining(reason) as string,
        }),
      );
      expect(await demo.get('/health/ready')).toMatchObject({ status: 503 });
      placed.push((await demo.place(limit(market, 'buy', '10', '1'))).order_id);
    } finally {
      await release();
    }
    await eventually(async () => expect(await check()).toMatchObject({ healthy: true }));
    const { body } = await demo.get(`/orders?market_id=${market}&status=open&limit=${placed.length}`);
    expect(body.data.map(({ order_id }: Json) => order_id)).toEqual(placed.toReversed());
    expect(await metric('core_projection_waiting_rows')).toBe(0);
    await expectBalancedBooks(operator);
  });
});
