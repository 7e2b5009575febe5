import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Caller, callerFor, type Json, type Reply } from '../support/caller.js';
import { expectBalancedBooks, limit } from '../support/clients/markets-client.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { PgCluster } from '../support/pg-cluster.js';

/** PostgreSQL lets a commit wait for a minute before giving up; an answer comes well before that. */
const ANSWER_MS_MAX = 30_000;

describe('orders while their only synchronous standby is away', () => {
  let cluster: PgCluster;
  let app: TestApp;
  let demo: Caller;

  beforeAll(async () => {
    cluster = await PgCluster.start();
    app = await startTestApp({
      databaseUrl: cluster.url,
      databaseSyncStandby: 'required',
      rateLimits: 'off',
      seedDemo: true,
    });
    demo = await callerFor(app.url, 'demo');
  }, 180_000);
  afterAll(async () => {
    await app?.close();
    await cluster?.stop();
  });

  function order(id: string): Json {
    return limit('BTC-USD', 'buy', '100', '1', { client_order_id: id });
  }

  async function answerTo(body: Json): Promise<Reply> {
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('there is no answer')), ANSWER_MS_MAX),
    );
    return Promise.race([demo.post('/orders', body), late]);
  }

  it('are answered in bounded time, and take effect once', async () => {
    expect((await answerTo(order('before'))).status).toBe(201);
    await cluster.standby!.kill();
    const sent = answerTo(order('sent'));
    const waiting = answerTo(order('waiting'));
    const [first, second] = await Promise.all([sent, waiting]);
    expect(first).toMatchObject({ status: 503, body: { error: { code: 'outcome_unknown' } } });
    expect(second.status).toBe(503);
    for (const { headers } of [first, second]) expect(headers.get('retry-after')).toMatch(/^\d+$/);

    await cluster.standby!.start();
    for (const id of ['sent', 'waiting']) {
      await vi.waitFor(async () => expect((await answerTo(order(id))).status).toBeLessThan(300), {
        timeout: 60_000,
      });
    }
    const { body } = await demo.get('/orders?market_id=BTC-USD&limit=200');
    const ids = body.data.map(({ client_order_id: id }: Json) => id);
    expect(ids.sort()).toEqual(['before', 'sent', 'waiting']);
    await expectBalancedBooks(await callerFor(app.url, 'admin'));
  }, 240_000);
});
