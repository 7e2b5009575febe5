import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CredentialAuthenticator } from '../../../src/modules/auth/credentials/credential-authenticator.js';
import { WebhookTiming } from '../../../src/modules/webhooks/delivery/webhook-timing.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import { type Caller, callerFor, type Json } from '../../support/caller.js';
import { PlainBrowser } from '../../support/oauth-browser.js';
import { clientOf, logIn, UserCaller } from '../../support/clients/users-client.js';
import { type Arrival, verified, WebhookReceiver } from '../../support/webhook-receiver.js';

const ATTEMPTS = 10;
const PAUSE_MS = 60;

describe('webhooks', () => {
  let service: TestApp;
  let receiver: WebhookReceiver;
  let demo: Caller;
  let operator: Caller;
  let timing: WebhookTiming;
  let next = 0;
  beforeAll(async () => {
    service = await startTestApp({ webhookAllowPrivate: true });
    receiver = await WebhookReceiver.start();
    [demo, operator] = await Promise.all([callerFor(service.url, 'demo'), callerFor(service.url, 'admin')]);
    timing = service.app.nest.get(WebhookTiming, { strict: false });
    // The real pauses are days: only the number of steps of the schedule is kept.
    vi.spyOn(timing, 'pauseMs').mockImplementation((step) => (step < ATTEMPTS ? PAUSE_MS : null));
  });
  beforeEach(() => {
    receiver.answer = () => ({ status: 204 });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await service.close();
    await receiver.close();
  });

  /** A webhook with a new path, which gets no other deliveries. */
  async function register(more: Json = {}, owner: Caller = demo): Promise<Json> {
    const path = `/hook-${next++}`;
    const reply = await owner.post('/news/webhooks', { url: receiver.url(path), ...more });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return { ...reply.body, path };
  }

  async function publish(more: Json = {}): Promise<Json> {
    const reply = await operator.post('/admin/news', { headline: `Fees fall, part ${next++}`, ...more });
    expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
    return reply.body;
  }

  function arrivals(path: string, count: number): Promise<Arrival[]> {
    return eventually(() => {
      const arrived = receiver.at(path);
      expect(arrived.length).toBeGreaterThanOrEqual(count);
      return arrived;
    });
  }

  /** The only delivery to a webhook, with its attempts, once it matches. */
  function delivery(webhookId: string, expected: Json): Promise<Json> {
    return eventually(async () => {
      const list = await demo.get(`/news/webhooks/${webhookId}/deliveries`);
      expect(list.body.data).toHaveLength(1);
      const [{ delivery_id }] = list.body.data;
      const { body } = await demo.get(`/news/webhooks/${webhookId}/deliveries/${delivery_id}`);
      expect(body).toMatchObject(expected);
      return body;
    });
  }

  /** Resolves once everything published so far has been sent to all subscribers. */
  function settled(): Promise<void> {
    return eventually(async () => {
      const [left] = await queryOnce<{ count: string }>(
        service.config.databaseUrl!,
        `SELECT (SELECT count(*) FROM graphile_worker.jobs WHERE task_identifier = 'webhooks.fan_out')
           + (SELECT count(*) FROM webhook_deliveries WHERE status = 'pending' AND next_attempt_at <= now()) AS count`,
      );
      return left!.count === '0';
    }, 'everything is sent');
  }

  describe('registering one', () => {
    it('shows the secret once, and the rest whenever it is asked for', async () => {
      const filter = { symbols: ['BTC-USD'], q: 'fees' };
      const { path, secret, ...webhook } = await register({ event_types: ['news.published'], filter });
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/);
      expect(webhook).toMatchObject({
        webhook_id: expect.stringMatching(/^whk_/),
        url: receiver.url(path),
        event_types: ['news.published'],
        filter,
        disabled: false,
        disabled_reason: null,
        failing_since: null,
        previous_secret_until: null,
      });
      expect((await demo.get(`/news/webhooks/${webhook.webhook_id}`)).body).toEqual(webhook);
      const { body } = await demo.get('/news/webhooks');
      expect(body.data[0]).toEqual(webhook);
    });

    it('listens to all that happens to news where it names no types', async () => {
      const { event_types, filter } = await register();
      expect(event_types).toEqual(['news.published', 'news.updated', 'news.removed']);
      expect(filter).toEqual({});
    });

    it.each<[string, Json]>([
      ['what is no URL', { url: 'tradepost' }],
      ['another scheme', { url: 'ftp://example.com/' }],
      ['a user name in the URL', { url: 'https://me:secret@example.com/' }],
      ['a URL that is too long', { url: `https://example.com/${'a'.repeat(2_048)}` }],
      ['a type of event that there is not', { event_types: ['news.invented'] }],
      ['no type of event at all', { event_types: [] }],
      ['a type of event twice', { event_types: ['news.published', 'news.published'] }],
      ['an unknown filter', { filter: { authors: ['Ada'] } }],
      ['a filter of another shape', { filter: { symbols: 'BTC-USD' } }],
      ['too many values in a filter', { filter: { sources: Array.from({ length: 101 }, String) } }],
      ['an unknown field', { secret: 'whsec_mine' }],
    ])('refuses %s', async (_what, body) => {
      expect(await demo.post('/news/webhooks', { url: receiver.url(), ...body })).toMatchObject({
        status: 400,
        body: { error: { code: 'validation_failed' } },
      });
    });

    it('takes the scope of what it listens to', async () => {
      const reader = await callerFor(service.url, 'demo', 'news:webhooks account:read');
      await register({ event_types: ['order.filled', 'news.published'] }, reader);
      for (const type of ['payout.paid', 'kyc.approved', 'transfer.completed']) {
        const body = { url: receiver.url(), event_types: [type] };
        expect(await reader.post('/news/webhooks', body)).toMatchObject({
          status: 403,
          body: { error: { code: 'insufficient_scope' } },
        });
      }
      const { webhook_id } = await register({}, reader);
      const change = { event_types: ['payout.paid'] };
      expect((await reader.patch(`/news/webhooks/${webhook_id}`, change)).status).toBe(403);
    });
  });

  describe('a delivery', () => {
    it('arrives signed, as Standard Webhooks has it', async () => {
      const { path, secret, webhook_id } = await register({ event_types: ['news.published'] });
      const news = await publish({ symbols: ['BTC-USD'] });
      const [arrival] = await arrivals(path, 1);
      expect(arrival!.headers).toMatchObject({
        'content-type': expect.stringMatching(/^application\/json/),
        'webhook-id': expect.stringMatching(/^evt_/),
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]+=*$/),
      });
      const event = verified(arrival!, secret);
      expect(Object.keys(event as object)).toEqual(['type', 'timestamp', 'data']);
      expect(event).toMatchObject({
        type: 'news.published',
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
        data: { news_id: news.news_id, symbols: ['BTC-USD'] },
      });
      expect(() => verified({ ...arrival!, body: `${arrival!.body} ` }, secret)).toThrow();
      expect(await delivery(webhook_id, { status: 'delivered' })).toMatchObject({
        event_id: arrival!.id,
        event_type: 'news.published',
        attempts_made: 1,
        next_attempt_at: null,
        payload: arrival!.body,
        attempts: [{ number: 1, response_status: 204, error: null }],
      });
    });

    it('is sent again under the same id after a failure, signed anew', async () => {
      const { path, secret, webhook_id } = await register({ event_types: ['news.published'] });
      receiver.answer = ({ path: to }) => ({
        status: to === path && receiver.at(path).length < 3 ? 500 : 204,
      });
      await publish();
      const arrived = await arrivals(path, 3);
      expect(new Set(arrived.map(({ id }) => id)).size).toBe(1);
      expect(new Set(arrived.map(({ body }) => body)).size).toBe(1);
      for (const arrival of arrived) verified(arrival, secret);
      const { attempts } = await delivery(webhook_id, { status: 'delivered', attempts_made: 3 });
      expect(attempts.map(({ response_status }: Json) => response_status)).toEqual([500, 500, 204]);
    });

    it('counts a redirect as a failure, and follows none', async () => {
      const { path, webhook_id } = await register({ event_types: ['news.published'] });
      const elsewhere = receiver.url('/elsewhere');
      receiver.answer = ({ path: to }) =>
        to === path && receiver.at(path).length < 2
          ? { status: 307, headers: { location: elsewhere } }
          : { status: 200 };
      await publish();
      const { attempts } = await delivery(webhook_id, { status: 'delivered', attempts_made: 2 });
      expect(attempts[0]).toMatchObject({ response_status: 307 });
      expect(receiver.at('/elsewhere')).toEqual([]);
    });

    it('is given up after the last attempt, and sent again by hand under its id', async () => {
      const { path, secret, webhook_id } = await register({ event_types: ['news.published'] });
      receiver.answer = ({ path: to }) => (to === path ? 'cut' : { status: 204 });
      await publish();
      const failed = await delivery(webhook_id, { status: 'failed', attempts_made: ATTEMPTS });
      expect(failed.attempts).toHaveLength(ATTEMPTS);
      expect(failed.attempts[0]).toMatchObject({ response_status: null, error: expect.any(String) });
      expect((await demo.get(`/news/webhooks/${webhook_id}`)).body).toMatchObject({
        disabled: false,
        failing_since: failed.attempts[0].started_at,
      });
      const failures = await demo.get(`/news/webhooks/${webhook_id}/deliveries?status=failed`);
      expect(failures.body.data).toHaveLength(1);
      expect((await demo.get(`/news/webhooks/${webhook_id}/deliveries?status=pending`)).body.data).toEqual(
        [],
      );

      receiver.answer = () => ({ status: 204 });
      const address = `/news/webhooks/${webhook_id}/deliveries/${failed.delivery_id}`;
      expect(await demo.post(`${address}/resend`, undefined)).toMatchObject({
        status: 200,
        body: { status: 'pending', delivery_id: failed.delivery_id },
      });
      await delivery(webhook_id, { status: 'delivered', attempts_made: ATTEMPTS + 1 });
      const last = receiver.at(path).at(-1)!;
      expect(last.id).toBe(failed.event_id);
      verified(last, secret);
      expect((await demo.get(`/news/webhooks/${webhook_id}`)).body.failing_since).toBeNull();
      // A delivery that arrived may be sent again.
      expect((await demo.post(`${address}/resend`, undefined)).status).toBe(200);
      await arrivals(path, ATTEMPTS + 2);
    });

    it('waits for as long as the receiver asks', async () => {
      const { path, webhook_id } = await register({ event_types: ['news.published'] });
      receiver.answer = ({ path: to }) =>
        to === path ? { status: 503, headers: { 'retry-after': '3600' } } : { status: 204 };
      await publish();
      const { attempts, next_attempt_at, delivery_id } = await delivery(webhook_id, { attempts_made: 1 });
      const waitMs = Date.parse(next_attempt_at) - Date.parse(attempts[0].started_at);
      expect(waitMs).toBeGreaterThanOrEqual(3_600_000);
      expect(
        await demo.post(`/news/webhooks/${webhook_id}/deliveries/${delivery_id}/resend`, undefined),
      ).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    });

    it('fits the filter of the webhook', async () => {
      const filters: Json[] = [
        { symbols: ['ETH-USD', 'BTC-USD'] },
        { symbols: ['ETH-USD'] },
        { categories: ['Network fees'], q: 'halving ahead' },
        { q: 'halving behind' },
        { sources: ['Example Times'] },
        { sources: ['Example'] },
      ];
      const webhooks = await Promise.all(filters.map((filter) => register({ filter })));
      await publish({
        headline: 'Ahead of the halving',
        symbols: ['BTC-USD'],
        category: 'Network fees',
        source: 'Example Times',
      });
      await settled();
      expect(webhooks.map(({ path }) => receiver.at(path).length)).toEqual([1, 0, 1, 0, 1, 0]);
    });

    it('tells of changes and removals too', async () => {
      const { path } = await register();
      const { news_id } = await publish();
      await operator.patch(`/admin/news/${news_id}`, { headline: 'Fees rise' });
      await operator.delete(`/admin/news/${news_id}`);
      const arrived = await arrivals(path, 3);
      // The order is not guaranteed.
      expect(arrived.map(({ event }) => event.type).sort()).toEqual([
        'news.published',
        'news.removed',
        'news.updated',
      ]);
      for (const { event } of arrived) expect(event.data.news_id).toBe(news_id);
    });
  });

  describe('its owner', () => {
    it('tests it, whatever it listens to', async () => {
      const { path, secret, webhook_id } = await register({ event_types: ['news.removed'] });
      const { status, body } = await demo.post(`/news/webhooks/${webhook_id}/test`, undefined);
      expect(status).toBe(201);
      expect(body).toMatchObject({ event_type: 'webhook.test', delivery_id: expect.any(String) });
      const [arrival] = await arrivals(path, 1);
      expect(verified(arrival!, secret)).toMatchObject({ type: 'webhook.test', data: { webhook_id } });
    });

    it('hears of a failed test, which is not repeated', async () => {
      const { path, webhook_id } = await register();
      receiver.answer = ({ path: to }) => ({ status: to === path ? 500 : 204 });
      await demo.post(`/news/webhooks/${webhook_id}/test`, undefined);
      await delivery(webhook_id, { status: 'failed', attempts_made: 1 });
    });

    it('changes the secret, and for a while both sign', async () => {
      const { path, secret: old, webhook_id } = await register({ event_types: ['news.published'] });
      const { status, headers, body } = await demo.post(`/news/webhooks/${webhook_id}/secret`, undefined);
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(body.secret).not.toBe(old);
      const overlapMs = Date.parse(body.previous_secret_until) - Date.now();
      expect(overlapMs).toBeGreaterThan(23 * 3_600_000);
      await publish();
      const [both] = await arrivals(path, 1);
      expect(String(both!.headers['webhook-signature']).split(' ')).toHaveLength(2);
      verified(both!, old);
      verified(both!, body.secret);

      const now = timing.now.bind(timing);
      const later = vi
        .spyOn(timing, 'now')
        .mockImplementation(() => new Date(Date.now() + timing.secretOverlapMs + 1_000));
      // The receiver's clock is the real one, so only the signatures are counted.
      await publish();
      const [, one] = await arrivals(path, 2);
      later.mockImplementation(now);
      expect(String(one!.headers['webhook-signature']).split(' ')).toHaveLength(1);
    });

    it('disables and enables it, and what happens meanwhile is not sent', async () => {
      const { path, webhook_id } = await register({ event_types: ['news.published'] });
      const address = `/news/webhooks/${webhook_id}`;
      expect((await demo.patch(address, { disabled: true })).body).toMatchObject({
        disabled: true,
        disabled_reason: 'owner',
        disabled_at: expect.any(String),
      });
      expect(await demo.post(`${address}/test`, undefined)).toMatchObject({
        status: 409,
        body: { error: { code: 'conflict' } },
      });
      await publish();
      await settled();
      const enabled = await demo.patch(address, { disabled: false });
      expect(enabled.body).toMatchObject({ disabled: false, disabled_reason: null, disabled_at: null });
      const { news_id } = await publish();
      await arrivals(path, 1);
      await settled();
      expect(receiver.at(path).map(({ event }) => event.data.news_id)).toEqual([news_id]);
    });

    it('changes what it listens to', async () => {
      const { path, webhook_id } = await register({ event_types: ['news.removed'] });
      const change = { event_types: ['news.published'], filter: { q: 'merge' } };
      expect((await demo.patch(`/news/webhooks/${webhook_id}`, change)).body).toMatchObject(change);
      await publish();
      const { news_id } = await publish({ headline: 'The merge' });
      await settled();
      expect(receiver.at(path).map(({ event }) => event.data.news_id)).toEqual([news_id]);
      expect((await demo.patch(`/news/webhooks/${webhook_id}`, { url: receiver.url() })).status).toBe(400);
    });

    it('deletes it, and nothing more is sent', async () => {
      const { path, webhook_id } = await register({ event_types: ['news.published'] });
      receiver.answer = ({ path: to }) => ({ status: to === path ? 500 : 204 });
      await publish();
      await arrivals(path, 1);
      expect((await demo.delete(`/news/webhooks/${webhook_id}`)).status).toBe(204);
      await settled();
      const sent = receiver.at(path).length;
      await publish();
      await settled();
      expect(receiver.at(path).length).toBe(sent);
      for (const reply of [
        await demo.get(`/news/webhooks/${webhook_id}`),
        await demo.get(`/news/webhooks/${webhook_id}/deliveries`),
        await demo.delete(`/news/webhooks/${webhook_id}`),
      ]) {
        expect(reply).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
      }
    });
  });

  it('is disabled by a 410, and the other webhooks of its owner are told', async () => {
    const other = await register({ event_types: ['webhook.disabled'] });
    const { path, webhook_id, url } = await register({ event_types: ['news.published'] });
    receiver.answer = ({ path: to }) => ({ status: to === path ? 410 : 204 });
    await publish();
    await eventually(
      async () => (await demo.get(`/news/webhooks/${webhook_id}`)).body.disabled as boolean,
      'the webhook is disabled',
    );
    expect((await demo.get(`/news/webhooks/${webhook_id}`)).body.disabled_reason).toBe('gone');
    await delivery(webhook_id, { status: 'failed', attempts_made: 1 });
    const [notice] = await arrivals(other.path, 1);
    expect(verified(notice!, other.secret)).toMatchObject({
      type: 'webhook.disabled',
      data: { webhook_id, url, reason: 'gone' },
    });
    await publish();
    await settled();
    expect(receiver.at(path)).toHaveLength(1);
  });

  it('is disabled after days of failure', async () => {
    const { path, webhook_id } = await register({ event_types: ['news.published'] });
    // On the service's clock a day passes with each attempt.
    let days = 0;
    vi.spyOn(timing, 'now').mockImplementation(() => new Date(Date.now() + days * 86_400_000));
    vi.mocked(timing.pauseMs).mockImplementation((step) => (step < 4 ? 0 : null));
    receiver.answer = ({ path: to }) => {
      if (to === path) days++;
      return { status: to === path ? 500 : 204 };
    };
    await publish();
    await eventually(
      async () => (await demo.get(`/news/webhooks/${webhook_id}`)).body.disabled_reason === 'failing',
      'the webhook is disabled',
    );
    vi.mocked(timing.now).mockImplementation(() => new Date());
    vi.mocked(timing.pauseMs).mockImplementation((step) => (step < ATTEMPTS ? PAUSE_MS : null));
    // The owner enables it again once the receiver works.
    receiver.answer = () => ({ status: 204 });
    await demo.patch(`/news/webhooks/${webhook_id}`, { disabled: false });
    const sent = receiver.at(path).length;
    await publish();
    await arrivals(path, sent + 1);
  });

  describe('of a credential that is gone', () => {
    let alice: UserCaller;
    const anyone = (): UserCaller => new UserCaller(service.url);
    const SCOPES = ['news:webhooks', 'account:read'];
    beforeAll(async () => {
      alice = await logIn(service, 'alice');
    });

    interface Bound {
      readonly caller: UserCaller;
      /** The credential as the owner sees it. */
      readonly credential: { readonly kind: string; readonly id: string };
      /** See `credentialKeyOf`. */
      readonly key: string;
      end(): Promise<unknown>;
    }

    const execute = (text: string, values: unknown[]): Promise<unknown> =>
      queryOnce(service.config.databaseUrl!, text, values);

    async function apiKey(end: (id: string) => Promise<unknown>): Promise<Bound> {
      const { body } = await alice.post('/auth/api-keys', { name: 'Hooks', scopes: SCOPES });
      const id: string = body.api_key_id;
      return {
        caller: anyone().withApiKey(body.api_key),
        credential: { kind: 'api_key', id },
        key: `api_key:${id}`,
        end: () => end(id),
      };
    }

    async function client(end: (id: string) => Promise<unknown>): Promise<Bound> {
      const { body } = await alice.post('/auth/clients', { name: 'Hooks', scopes: SCOPES });
      const id: string = body.client_id;
      const token = await anyone().tryToken(id, body.client_secret);
      return {
        caller: anyone().withBearer(token.body.access_token),
        credential: { kind: 'client', id },
        key: `client:${id}`,
        end: () => end(id),
      };
    }

    /** A grant of alice to a client of bob. */
    async function grant(): Promise<Bound> {
      const redirectUri = 'https://app.example.com/callback';
      const { body } = await (
        await logIn(service, 'bob')
      ).post('/auth/clients', {
        name: 'App',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [redirectUri],
        scopes: SCOPES,
      });
      const id: string = body.client_id;
      const verifier = randomBytes(32).toString('base64url');
      const asked = new URLSearchParams({
        response_type: 'code',
        client_id: id,
        redirect_uri: redirectUri,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      const answer = await new PlainBrowser(service.url).authorize(
        `/oauth/authorize?${asked.toString()}`,
        'alice',
      );
      const response = await fetch(`${service.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: id,
          client_secret: body.client_secret,
          code: answer.searchParams.get('code')!,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        }),
      });
      const tokens = (await response.json()) as { access_token: string; refresh_token: string };
      const [{ user_id } = { user_id: '' }] = await queryOnce<{ user_id: string }>(
        service.config.databaseUrl!,
        `SELECT user_id FROM users WHERE username = 'alice'`,
      );
      return {
        caller: anyone().withBearer(tokens.access_token),
        credential: { kind: 'grant', id },
        key: `grant:${id}:user:${user_id}`,
        end: () =>
          fetch(`${service.url}/oauth/revoke`, {
            method: 'POST',
            body: new URLSearchParams({
              client_id: id,
              client_secret: body.client_secret,
              token: tokens.refresh_token,
            }),
          }),
      };
    }

    const CREDENTIALS: Record<string, () => Promise<Bound>> = {
      'a deleted API key': () => apiKey((id) => alice.delete(`/auth/api-keys/${id}`)),
      'an expired API key': () =>
        apiKey((id) => execute('UPDATE api_keys SET expires_at = now() WHERE api_key_id = $1', [id])),
      'a deleted client': () => client((id) => alice.delete(`/auth/clients/${id}`)),
      'a grant that has ended': grant,
    };

    it.each(Object.entries(CREDENTIALS))('is told nothing: %s', async (_which, make) => {
      const { caller, credential, key, end } = await make();
      const [bound, other] = [await register({}, caller), await register()];
      await publish();
      await Promise.all([arrivals(bound.path, 1), arrivals(other.path, 1)]);
      const before = (await alice.get(`/news/webhooks/${bound.webhook_id}`)).body;
      expect(before).toMatchObject({ credential, disabled: false });

      await end();
      const authenticator = service.app.nest.get(CredentialAuthenticator);
      await eventually(
        async () => (await authenticator.scopesOf(key)) === undefined,
        'the credential is gone',
      );
      await publish();
      await arrivals(other.path, 2);
      await settled();
      expect(receiver.at(bound.path)).toHaveLength(1);
      const path = `/news/webhooks/${bound.webhook_id}`;
      expect((await alice.get(path)).body).toMatchObject({
        credential,
        disabled: true,
        disabled_reason: 'credential',
      });
      expect(await alice.patch(path, { disabled: false })).toMatchObject({ status: 409 });
      expect((await alice.delete(path)).status).toBe(204);
      expect((await alice.get(path)).status).toBe(404);
    });

    it('is told nothing while its user is locked', async () => {
      const operator = await clientOf(service, 'admin');
      const user = { username: 'lockable', password: 'lockable-password' };
      expect((await operator.post('/user', user)).status).toBe(200);
      const session = await logIn(service, 'lockable');
      const [bound, other] = [await register({}, session), await register()];
      const [{ user_id } = { user_id: '' }] = await queryOnce<{ user_id: string }>(
        service.config.databaseUrl!,
        `UPDATE users SET user_status = 1 WHERE username = 'lockable' RETURNING user_id`,
      );
      const authenticator = service.app.nest.get(CredentialAuthenticator);
      const isGone = async (): Promise<boolean> =>
        (await authenticator.scopesOf(`user:${user_id}`)) === undefined;
      await eventually(isGone, 'the user is known to be locked');
      await publish();
      await arrivals(other.path, 1);
      await settled();
      expect(receiver.at(bound.path)).toEqual([]);
      const [row] = await queryOnce(
        service.config.databaseUrl!,
        'SELECT disabled_reason, credential FROM webhook_endpoints WHERE url = $1',
        [bound.url],
      );
      expect(row).toEqual({ disabled_reason: 'credential', credential: `user:${user_id}` });
    });

    it('lives on with its user, whichever session made it', async () => {
      const session = await logIn(service, 'alice');
      const bound = await register({}, session);
      expect((await session.get('/user/logout')).status).toBe(200);
      await publish();
      await arrivals(bound.path, 1);
      expect((await alice.get(`/news/webhooks/${bound.webhook_id}`)).body).toMatchObject({
        credential: { kind: 'user', id: null },
        disabled: false,
      });
    });

    it('is seen by its user, and by no other credential of the user', async () => {
      const made = await Promise.all([
        CREDENTIALS['a deleted API key']!(),
        CREDENTIALS['a deleted client']!(),
      ]);
      for (const { caller } of made) {
        const bound = await register({}, caller);
        const path = `/news/webhooks/${bound.webhook_id}`;
        expect((await alice.get('/news/webhooks')).body.data[0]).toMatchObject({ url: bound.url });
        for (const other of made.filter((each) => each.caller !== caller)) {
          expect((await other.caller.get(path)).status).toBe(404);
          expect((await other.caller.delete(path)).status).toBe(404);
        }
      }
    });
  });

  it('lists deliveries page by page, newest first', async () => {
    const { path, webhook_id } = await register({ event_types: ['news.published'] });
    for (let i = 0; i < 5; i++) await publish();
    await arrivals(path, 5);
    const all = await demo.walk(`/news/webhooks/${webhook_id}/deliveries`, 2);
    expect(new Set(all.map(({ event_id }) => event_id))).toEqual(
      new Set(receiver.at(path).map(({ id }) => id)),
    );
    const ids = all.map(({ delivery_id }) => delivery_id as string);
    expect(ids).toEqual([...ids].sort().reverse());
    expect(ids).toHaveLength(5);
  });

  describe('operators', () => {
    const idsOf = async (query: string): Promise<string[]> =>
      (await operator.walk(`/admin/webhooks?${query}`, 2)).map(({ webhook_id }) => webhook_id as string);

    it('find those of all owners that fail or are disabled, without their secrets', async () => {
      const maker = await callerFor(service.url, 'maker');
      const failing = await register({ event_types: ['news.published'] });
      const disabled = await register({}, maker);
      await maker.patch(`/news/webhooks/${disabled.webhook_id}`, { disabled: true });
      receiver.answer = ({ path: to }) => (to === failing.path ? { status: 500 } : { status: 204 });
      await publish();
      await delivery(failing.webhook_id, { status: 'failed' });
      expect(await idsOf('state=failing')).toContain(failing.webhook_id);
      expect(await idsOf('state=failing')).not.toContain(disabled.webhook_id);
      expect(await idsOf('state=disabled')).toContain(disabled.webhook_id);
      expect(await idsOf('state=active')).not.toContain(failing.webhook_id);
      expect(await idsOf('owner=client:maker')).toEqual([disabled.webhook_id]);
      expect(await idsOf('')).toEqual(expect.arrayContaining([failing.webhook_id, disabled.webhook_id]));
      const { body } = await operator.get('/admin/webhooks?owner=client:maker');
      expect(body.data[0]).toMatchObject({ owner: 'client:maker', disabled_reason: 'owner' });
      expect(JSON.stringify(body)).not.toContain('whsec_');
      for (const query of ['state=broken', 'owner=', 'state=failing&state=active', 'other=1']) {
        expect((await operator.get(`/admin/webhooks?${query}`)).status, query).toBe(400);
      }
      expect((await demo.get('/admin/webhooks')).status).toBe(403);
    });

    it('see why deliveries fail, and nothing of what they say', async () => {
      const { path, webhook_id } = await register({ event_types: ['news.published'] });
      receiver.answer = ({ path: to }) => (to === path ? { status: 503 } : { status: 204 });
      await publish();
      await delivery(webhook_id, { status: 'failed' });
      const { body } = await operator.get(`/admin/webhooks/${webhook_id}/deliveries?status=failed`);
      expect(body.data).toMatchObject([
        {
          event_type: 'news.published',
          attempts_made: ATTEMPTS,
          last_response_status: 503,
          last_error: null,
        },
      ]);
      expect(body.data[0]).not.toHaveProperty('payload');
      expect(
        (await operator.get(`/admin/webhooks/${webhook_id}/deliveries?status=delivered`)).body.data,
      ).toEqual([]);
      expect((await operator.get('/admin/webhooks/whk_00000000000/deliveries')).status).toBe(404);
      expect((await demo.get(`/admin/webhooks/${webhook_id}/deliveries`)).status).toBe(403);
    });
  });
});
