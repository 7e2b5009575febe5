import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Purges } from '../../../src/kit/jobs/purges.js';
import { eventually, queryOnce } from '../../support/core.js';
import { isRedisMissing } from '../../support/redis.js';
import { Replicas } from '../../support/replicas.js';
import { FeedServer, rssOf } from '../../support/feed-server.js';
import { type Caller, callerFor } from '../../support/caller.js';
import { WebhookReceiver } from '../../support/webhook-receiver.js';

/** Longer than any round takes to start. */
const A_WHILE_MS = 2_500;

describe.skipIf(isRedisMissing('jobs over several processes'))('background work of two processes', () => {
  let replicas: Replicas;
  let feeds: FeedServer;
  let receiver: WebhookReceiver;
  let operators: readonly Caller[];

  beforeAll(async () => {
    [feeds, receiver] = await Promise.all([FeedServer.start(), WebhookReceiver.start()]);
    feeds.answer('/feed', { body: rssOf('<title>Once</title><link>https://example.com/once</link>') });
    replicas = await Replicas.start({
      environment: { NEWS_FEEDS: feeds.url('/feed') },
      webhookAllowPrivate: true,
    });
    const { leader, other } = replicas;
    operators = await Promise.all([leader, other].map(({ url }) => callerFor(url, 'admin')));
  });
  afterAll(async () => {
    await replicas.stop();
    await Promise.all([feeds.close(), receiver.close()]);
  });

  function whoDoesTheWork(): Promise<{ pid: number }[]> {
    return queryOnce<{ pid: number }>(
      replicas.databaseUrl,
      `SELECT activity.pid FROM pg_locks JOIN pg_stat_activity activity USING (pid)
       WHERE locktype = 'advisory' AND granted AND application_name = 'tradepost-jobs'
         AND datname = current_database()`,
    );
  }

  async function publish(by: Caller, headline: string): Promise<void> {
    const reply = await by.post('/admin/news', { headline });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  }

  it('polls each feed once', async () => {
    await eventually(() => feeds.at('/feed').length > 0, 'the feed is polled');
    await new Promise((resolve) => setTimeout(resolve, A_WHILE_MS));
    expect(feeds.at('/feed')).toHaveLength(1);
  });

  it('delivers each webhook once, wherever it came about, also after its connection was cut', async () => {
    const demo = await callerFor(replicas.other.url, 'demo');
    expect((await demo.post('/news/webhooks', { url: receiver.url('/once') })).status).toBe(201);
    for (const [place, operator] of operators.entries()) await publish(operator, `From ${place}`);
    await eventually(() => receiver.at('/once').length >= 2, 'both are delivered');

    const [leading, ...others] = await whoDoesTheWork();
    expect(others).toEqual([]);
    await queryOnce(replicas.databaseUrl, 'SELECT pg_terminate_backend($1)', [leading!.pid]);
    for (const [place, operator] of operators.entries()) await publish(operator, `Again from ${place}`);
    await eventually(() => receiver.at('/once').length >= 4, 'somebody goes on');
    await new Promise((resolve) => setTimeout(resolve, A_WHILE_MS));
    const ids = receiver.at('/once').map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
    expect(await whoDoesTheWork()).toHaveLength(1);
  });

  it('purges what has expired, also where two processes do it at once', async () => {
    await queryOnce(
      replicas.databaseUrl,
      `INSERT INTO idempotency_keys
         (owner, key_hash, sealed_fingerprint, claim_id, state, leased_until, created_at)
       SELECT 'client:demo', 'old ' || number, '', gen_random_uuid(), 'running', now() - interval '2 days',
              now() - interval '2 days'
       FROM generate_series(1, 2000) number`,
    );
    const { leader, other } = replicas;
    await Promise.all([leader, other].map(({ app }) => app.nest.get(Purges).purgeNext()));
    expect(
      await queryOnce(replicas.databaseUrl, `SELECT FROM idempotency_keys WHERE key_hash LIKE 'old %'`),
    ).toEqual([]);
  });
});
