import { Test, type TestingModule } from '@nestjs/testing';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { Webhook } from 'standardwebhooks';
import { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { verified, WebhookReceiver, type Arrival } from '../../../../test/support/webhook-receiver.js';
import { Clock } from '../../../kit/clock.js';
import { CONFIG } from '../../../kit/config/config.js';
import { DatabaseConnection } from '../../../kit/database/database-connection.js';
import { typeOrmOptions } from '../../../kit/database/database.module.js';
import { createPgPool, PG_POOL } from '../../../kit/database/pg-pool.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { AgreedTime } from '../../../kit/jobs/agreed-time.js';
import { JobLeader } from '../../../kit/jobs/job-leader.js';
import { Jobs } from '../../../kit/jobs/jobs.js';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import { HostNames } from '../../../kit/outgoing/host-names.js';
import { OutgoingHttp } from '../../../kit/outgoing/outgoing-http.js';
import { CredentialStandings } from '../../../kit/security/credential-standings.js';
import type { Principal } from '../../../kit/security/principal.js';
import { KeyVault, type WrappedKey } from '../../../kit/vault/key-vault.js';
import { SecretBox } from '../../../kit/vault/secret-box.js';
import { AttemptRecorder } from './attempt-recorder.js';
import { EndpointCredentials } from './endpoint-credentials.js';
import { EndpointDisabling } from './endpoint-disabling.js';
import { FAN_OUT } from './fan-out-task.js';
import { FanOut } from './fan-out.js';
import { MeasuredAttempts } from './measured-attempts.js';
import { WebhookAttemptEntity } from './webhook-attempt.entity.js';
import { WebhookCatalogue } from '../../../kit/webhooks/webhook-catalogue.js';
import { WebhookDeliveries } from './webhook-deliveries.service.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import { WebhookDispatcher } from './webhook-dispatcher.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import { WebhookEndpoints, webhookIdOf, type EndpointWithSecret } from './webhook-endpoints.service.js';
import { WebhookEventEntity } from './webhook-event.entity.js';
import {
  WebhookEventType,
  type WebhookAudience,
  type WebhookFilter,
} from '../../../kit/webhooks/webhook-event-type.js';
import { WEBHOOK_DISABLED, WEBHOOK_TEST } from './webhook-own-events.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookTiming } from './webhook-timing.js';
import { WebhookUpkeep } from './webhook-upkeep.js';
import { Webhooks } from '../../../kit/webhooks/webhooks.js';
import { WebhookPublisher } from './webhook-publisher.js';
import { DELIVERY_IDS } from '../ids.js';
import { BANKING_READ } from '../../banking/scopes.js';
import { RETENTION_DELIVERIES_DAYS } from './webhook-retention.js';
import { settingsOf } from '../../../../test/support/settings.js';

class Greeting {
  readonly name: string;
}

const GREETED = new WebhookEventType({
  name: 'test.greeted',
  description: 'Somebody was greeted.',
  data: Greeting,
  matches: ({ name }, { names }: WebhookFilter) => names === undefined || names.includes(name),
});
const PAID = new WebhookEventType({
  name: 'test.paid',
  description: 'Somebody was paid.',
  data: Greeting,
  scope: BANKING_READ,
});

/** The usual schedule, with a clock that a test can advance. */
class TestTiming extends WebhookTiming {
  private aheadMs = 0;
  override readonly answerWithinMs = 1_500;

  override now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }

  pass(ms: number): void {
    this.aheadMs += ms;
  }

  reset(): void {
    this.aheadMs = 0;
  }
}

/** Credentials keep the scopes they were made with, until a test changes that. */
class TestStandings extends CredentialStandings {
  readonly scopes = new Map<string, ReadonlySet<string>>();

  scopesOf(credentialKey: string): Promise<ReadonlySet<string> | undefined> {
    return Promise.resolve(this.scopes.get(credentialKey));
  }
}

/** Does not encrypt. */
class OpenVault extends KeyVault {
  currentVersion(): Promise<string> {
    return Promise.resolve('1');
  }

  wrap(dataKey: Uint8Array): Promise<WrappedKey> {
    return Promise.resolve({ keyVersion: '1', bytes: Buffer.from(dataKey) });
  }

  unwrap({ bytes }: WrappedKey): Promise<Buffer> {
    return Promise.resolve(Buffer.from(bytes));
  }
}

const HOUR_MS = 3_600_000;

describe('the engine of webhooks', () => {
  let database: TestDatabase;
  let pool: Pool;
  let dataSource: DataSource;
  let service: TestingModule;
  let timing: TestTiming;
  let standings: TestStandings;
  let receiver: WebhookReceiver;
  let owners = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPgPool(database.url);
    dataSource = await new DataSource({
      ...typeOrmOptions(database.url),
      entities: [WebhookAttemptEntity, WebhookDeliveryEntity, WebhookEndpointEntity, WebhookEventEntity],
    }).initialize();
    timing = new TestTiming(settingsOf([RETENTION_DELIVERIES_DAYS]), new Clock());
    standings = new TestStandings();
    service = await Test.createTestingModule({
      providers: [
        { provide: PG_POOL, useValue: pool },
        { provide: DatabaseConnection, useValue: { url: database.url } },
        { provide: getDataSourceToken(), useValue: dataSource },
        { provide: CONFIG, useValue: { webhookAllowPrivate: true } },
        { provide: KeyVault, useClass: OpenVault },
        { provide: WebhookTiming, useValue: timing },
        { provide: CredentialStandings, useValue: standings },
        AttemptRecorder,
        EndpointCredentials,
        EndpointDisabling,
        FanOut,
        HostNames,
        AgreedTime,
        Clock,
        JobLeader,
        Jobs,
        MeasuredAttempts,
        MetricsRegistry,
        OutgoingHttp,
        SecretBox,
        {
          provide: WebhookCatalogue,
          useValue: new WebhookCatalogue([GREETED, PAID, WEBHOOK_DISABLED, WEBHOOK_TEST]),
        },
        WebhookDeliveries,
        WebhookDispatcher,
        WebhookEndpoints,
        { provide: Webhooks, useClass: WebhookPublisher },
        WebhookSecrets,
        WebhookSender,
        WebhookUpkeep,
      ],
    }).compile();
    service.get(Jobs).handle(FAN_OUT, ({ event_ids }) => service.get(FanOut).deliver(event_ids));
    for (const { duty } of [service.get(Jobs), service.get(WebhookUpkeep), service.get(WebhookDispatcher)])
      service.get(JobLeader).assume(duty);
    await service.init();
    receiver = await WebhookReceiver.start();
  });
  afterEach(() => {
    receiver.arrivals.length = 0;
    receiver.answer = () => ({ status: 204 });
    timing.reset();
  });
  afterAll(async () => {
    await service.close();
    await receiver.close();
    await dataSource.destroy();
    await pool.end();
    await database.drop();
  });

  const newPrincipal = (...scopes: string[]): Principal => {
    const key = `client:c${++owners}`;
    standings.scopes.set(key, new Set(['news:webhooks', ...scopes]));
    return {
      kind: 'client',
      key,
      id: `c${owners}`,
      accountOwner: key,
      accountId: null,
      scopes: new Set(scopes),
    };
  };
  const register = (
    principal: Principal,
    path: string,
    { eventTypes = ['test.greeted'], filter = {} }: { eventTypes?: string[]; filter?: WebhookFilter } = {},
  ): Promise<EndpointWithSecret> =>
    service
      .get(WebhookEndpoints)
      .register(principal, { url: receiver.url(path), ordered: false, eventTypes, filter });
  const greet = (name: string, audience: WebhookAudience = 'everyone', key?: string): Promise<void> =>
    dataSource.transaction((manager) =>
      service
        .get(Webhooks)
        .publish(manager, { type: GREETED, data: { name }, audience, ...(key !== undefined && { key }) }),
    );
  const arrived = async (path: string, count = 1): Promise<Arrival[]> => {
    await eventually(() => receiver.at(path).length >= count, `${count} arrived at ${path}`);
    return receiver.at(path);
  };
  const logOf = async (principal: Principal, webhookId: string): Promise<WebhookDeliveryEntity[]> =>
    (await service.get(WebhookDeliveries).list(principal, webhookId, new PageQueryDto(), (row) => row)).data;
  const settled = async (principal: Principal, webhookId: string): Promise<WebhookDeliveryEntity> => {
    await eventually(async () => {
      const [latest] = await logOf(principal, webhookId);
      return latest !== undefined && latest.status !== 'pending';
    }, 'the delivery has ended');
    return (await logOf(principal, webhookId))[0]!;
  };

  it('delivers what was published, signed, and nothing of what was rolled back', async () => {
    const ann = newPrincipal();
    const { endpoint, secret } = await register(ann, '/first');
    await dataSource
      .transaction(async (manager) => {
        await service
          .get(Webhooks)
          .publish(manager, { type: GREETED, data: { name: 'nobody' }, audience: 'everyone' });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    await greet('ann');
    const [arrival] = await arrived('/first');
    expect(verified(arrival!, secret)).toEqual({
      type: 'test.greeted',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { name: 'ann' },
    });
    expect(arrival!.id).toMatch(/^evt_[0-9A-Z]{11}$/);
    const delivery = await settled(ann, webhookIdOf(endpoint.endpointId));
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, nextAttemptAt: null });
    expect(receiver.at('/first')).toHaveLength(1);
  });

  it('tells those whom an event is for, and who want it', async () => {
    const [ann, bob] = [newPrincipal(), newPrincipal()];
    await register(ann, '/ann');
    await register(bob, '/bob', { filter: { names: ['bob'] } });
    await greet('for ann', { accountOwner: ann.accountOwner });
    await greet('for ann again', { principals: [ann.key] });
    await greet('for nobody', { principals: [] });
    await greet('everyone');
    await greet('bob');
    await greet('bob', { accountOwner: bob.accountOwner });
    await arrived('/ann', 4);
    await arrived('/bob', 2);
    const namesAt = (path: string): string[] =>
      receiver
        .at(path)
        .map(({ event }) => event.data.name as string)
        .sort();
    expect(namesAt('/ann')).toEqual(['bob', 'everyone', 'for ann', 'for ann again']);
    expect(namesAt('/bob')).toEqual(['bob', 'bob']);
  });

  it('tells once what is published twice under a key', async () => {
    await register(newPrincipal(), '/keyed');
    await greet('ann', 'everyone', 'greeting-1');
    await greet('ann', 'everyone', 'greeting-1');
    await greet('bob', 'everyone', 'greeting-2');
    await arrived('/keyed', 2);
    // Deliveries go out side by side, in no order.
    const names = receiver.at('/keyed').map(({ event }) => event.data.name as string);
    expect(names.toSorted()).toEqual(['ann', 'bob']);
  });

  it('asks for the scope of a type of event, and for types that there are', async () => {
    const request = { url: receiver.url('/'), ordered: false, eventTypes: ['test.paid'], filter: {} };
    const endpoints = service.get(WebhookEndpoints);
    await expect(endpoints.register(newPrincipal(), request)).rejects.toMatchObject({
      code: 'insufficient_scope',
    });
    await endpoints.register(newPrincipal('banking:read'), request);
    await expect(
      endpoints.register(newPrincipal(), { ...request, eventTypes: ['test.unknown'] }),
    ).rejects.toMatchObject({ code: 'validation_failed' });
  });

  it('tries again by the schedule, under the same id, until it is given up and the webhook disabled', async () => {
    const ann = newPrincipal();
    const { endpoint, secret } = await register(ann, '/failing');
    const other = await register(ann, '/other', { eventTypes: ['webhook.disabled'] });
    receiver.answer = ({ path }) => ({ status: path === '/failing' ? 500 : 204 });
    const plannedMs = [5 / 3_600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS);
    let beforeMs = timing.now().getTime();
    await greet('ann');
    for (let attempt = 1; attempt <= 10; attempt++) {
      await arrived('/failing', attempt);
      if (attempt === 10) break;
      const webhookId = webhookIdOf(endpoint.endpointId);
      await eventually(async () => (await logOf(ann, webhookId))[0]!.attempts === attempt, 'it is on record');
      const [{ nextAttemptAt, status }] = (await logOf(ann, webhookId)) as [WebhookDeliveryEntity];
      expect(status).toBe('pending');
      // The pause starts between the clock's time before the attempt and after it.
      const nextMs = nextAttemptAt!.getTime();
      const nowMs = timing.now().getTime();
      const plannedPauseMs = plannedMs[attempt - 1]!;
      expect(nextMs - beforeMs).toBeGreaterThanOrEqual(plannedPauseMs);
      expect(nextMs - nowMs).toBeLessThanOrEqual(plannedPauseMs * 1.1);
      timing.pass(Math.max(0, nextMs - nowMs));
      beforeMs = nextMs;
      service.get(WebhookDispatcher).wake();
    }
    const arrivals = receiver.at('/failing');
    expect(new Set(arrivals.map(({ id }) => id)).size).toBe(1);
    expect(new Set(arrivals.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
    expect(() => verified(arrivals[9]!, secret)).toThrow('Message timestamp too new');

    const [notice] = await arrived('/other');
    expect(notice!.event).toMatchObject({
      type: 'webhook.disabled',
      data: {
        webhook_id: webhookIdOf(endpoint.endpointId),
        url: receiver.url('/failing'),
        reason: 'failing',
      },
    });
    const disabled = await service.get(WebhookEndpoints).get(ann, webhookIdOf(endpoint.endpointId));
    expect(disabled).toMatchObject({ disabledReason: 'failing', disabledAt: expect.any(Date) });
    expect(other.endpoint.disabledAt).toBeNull();

    const { delivery, attempts } = await service
      .get(WebhookDeliveries)
      .get(
        ann,
        webhookIdOf(endpoint.endpointId),
        deliveryIdOf((await logOf(ann, webhookIdOf(endpoint.endpointId)))[0]!),
      );
    expect(delivery).toMatchObject({ status: 'failed', attempts: 10 });
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(attempts[0]).toMatchObject({ responseStatus: 500, error: null });
  });

  it('waits for as long as the receiver asks', async () => {
    const ann = newPrincipal();
    const { endpoint } = await register(ann, '/busy');
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '7200' } });
    await greet('ann');
    const webhookId = webhookIdOf(endpoint.endpointId);
    await eventually(async () => (await logOf(ann, webhookId))[0]?.attempts === 1, 'it was tried');
    const [{ nextAttemptAt }] = (await logOf(ann, webhookId)) as [WebhookDeliveryEntity];
    expect(nextAttemptAt!.getTime() - timing.now().getTime()).toBeGreaterThan(1.9 * HOUR_MS);
  });

  it('tells the owner that the pause was not understood', async () => {
    const ann = newPrincipal();
    const { endpoint } = await register(ann, '/vague');
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': 'in a while' } });
    await greet('ann');
    const webhookId = webhookIdOf(endpoint.endpointId);
    await eventually(async () => (await logOf(ann, webhookId))[0]?.attempts === 1, 'it was tried');
    const [delivery] = (await logOf(ann, webhookId)) as [WebhookDeliveryEntity];
    const { attempts } = await service.get(WebhookDeliveries).get(ann, webhookId, deliveryIdOf(delivery));
    expect(attempts[0]).toMatchObject({
      responseStatus: 503,
      error: 'Its Retry-After is not understood: "in a while".',
    });
  });

  it.each([
    ['a redirect', { status: 307, headers: { location: '/elsewhere' } }, 307],
    ['no answer in time', 'hang', null],
    ['a connection that is cut', 'cut', null],
  ] as const)('takes %s for a failure', async (_what, answer, responseStatus) => {
    const ann = newPrincipal();
    const { endpoint } = await register(ann, '/odd');
    receiver.answer = () => answer;
    await greet('ann');
    const webhookId = webhookIdOf(endpoint.endpointId);
    await eventually(async () => (await logOf(ann, webhookId))[0]?.attempts === 1, 'it was tried');
    const [delivery] = (await logOf(ann, webhookId)) as [WebhookDeliveryEntity];
    const { attempts } = await service.get(WebhookDeliveries).get(ann, webhookId, deliveryIdOf(delivery));
    expect(delivery.status).toBe('pending');
    expect(attempts[0]).toMatchObject({ responseStatus });
    expect(attempts[0]!.error === null).toBe(responseStatus !== null);
    expect(receiver.at('/elsewhere')).toEqual([]);
    await service.get(WebhookEndpoints).remove(ann, webhookId);
  });

  it('sends nothing more to a receiver that is gone', async () => {
    const ann = newPrincipal();
    const { endpoint } = await register(ann, '/gone');
    receiver.answer = () => ({ status: 410 });
    await greet('ann');
    const webhookId = webhookIdOf(endpoint.endpointId);
    expect(await settled(ann, webhookId)).toMatchObject({ status: 'failed', attempts: 1 });
    await eventually(
      async () => (await service.get(WebhookEndpoints).get(ann, webhookId)).disabledReason === 'gone',
      'the webhook is disabled',
    );
    await expect(service.get(WebhookDeliveries).test(ann, webhookId)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('signs with both secrets for a day after a rotation', async () => {
    const ann = newPrincipal();
    const { endpoint, secret: old } = await register(ann, '/rotating');
    const webhookId = webhookIdOf(endpoint.endpointId);
    const { secret } = await service.get(WebhookEndpoints).rotateSecret(ann, webhookId);
    expect(secret).not.toBe(old);
    await greet('ann');
    const [first] = await arrived('/rotating');
    expect(signers(first!, [old, secret])).toEqual([old, secret]);
    timing.pass(25 * HOUR_MS);
    await greet('ann');
    const [, second] = await arrived('/rotating', 2);
    expect(signers(second!, [old, secret])).toEqual([secret]);
  });

  it('sends again by hand, under the same id, and tests once', async () => {
    const ann = newPrincipal();
    const { endpoint } = await register(ann, '/manual');
    const webhookId = webhookIdOf(endpoint.endpointId);
    const deliveries = service.get(WebhookDeliveries);
    await greet('ann');
    const delivery = await settled(ann, webhookId);
    await deliveries.resend(ann, webhookId, deliveryIdOf(delivery));
    const [first, again] = await arrived('/manual', 2);
    expect(again!.id).toBe(first!.id);
    expect(await settled(ann, webhookId)).toMatchObject({ status: 'delivered', attempts: 2 });

    receiver.answer = () => ({ status: 500 });
    await deliveries.test(ann, webhookId);
    const [, , tested] = await arrived('/manual', 3);
    expect(tested!.event).toMatchObject({ type: 'webhook.test', data: { webhook_id: webhookId } });
    expect(await settled(ann, webhookId)).toMatchObject({ status: 'failed', attempts: 1 });
  });

  it('shows nobody what belongs to another', async () => {
    const [ann, bob] = [newPrincipal(), newPrincipal()];
    const { endpoint } = await register(ann, '/own');
    const webhookId = webhookIdOf(endpoint.endpointId);
    await greet('ann');
    const delivery = deliveryIdOf(await settled(ann, webhookId));
    const endpoints = service.get(WebhookEndpoints);
    const deliveries = service.get(WebhookDeliveries);
    const own = await register(bob, '/bobs');
    const tries = [
      endpoints.get(bob, webhookId),
      endpoints.update(bob, webhookId, { disabled: true }),
      endpoints.rotateSecret(bob, webhookId),
      endpoints.remove(bob, webhookId),
      deliveries.list(bob, webhookId, new PageQueryDto(), (row) => row),
      deliveries.get(bob, webhookId, delivery),
      deliveries.resend(bob, webhookId, delivery),
      deliveries.test(bob, webhookId),
      deliveries.get(bob, webhookIdOf(own.endpoint.endpointId), delivery),
      endpoints.get(ann, 'whk_nonsense'),
    ];
    for (const { status, reason } of (await Promise.allSettled(tries)) as PromiseRejectedResult[]) {
      expect({ status, code: (reason as { code: string }).code }).toEqual({
        status: 'rejected',
        code: 'not_found',
      });
    }
    expect(await endpoints.list(bob, new PageQueryDto(), ({ owner }) => owner)).toEqual({
      data: [bob.key],
      next_cursor: null,
    });
  });

  it('sends nothing to a webhook that is disabled or deleted, and begins anew when it is enabled', async () => {
    const ann = newPrincipal();
    const { endpoint } = await register(ann, '/paused');
    const webhookId = webhookIdOf(endpoint.endpointId);
    const endpoints = service.get(WebhookEndpoints);
    receiver.answer = () => ({ status: 500 });
    await greet('before');
    await arrived('/paused');
    await endpoints.update(ann, webhookId, { disabled: true });
    expect((await settled(ann, webhookId)).status).toBe('failed');
    await greet('meanwhile');
    receiver.answer = () => ({ status: 204 });
    await endpoints.update(ann, webhookId, { disabled: false });
    await greet('after');
    const arrivals = await arrived('/paused', 2);
    expect(arrivals.map(({ event }) => event.data.name as string)).toEqual(['before', 'after']);
    await endpoints.remove(ann, webhookId);
    await expect(endpoints.get(ann, webhookId)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('tells nobody in the name of a principal that is no more', async () => {
    const ann = newPrincipal();
    const [keyOfAnn, bob] = [{ ...newPrincipal(), accountOwner: ann.key }, newPrincipal()];
    await register(ann, '/ann');
    await register(keyOfAnn, '/ann');
    await register(bob, '/bob');
    await dataSource.transaction((manager) => service.get(WebhookEndpoints).removeAllOf(manager, ann.key));
    await greet('all');
    await arrived('/bob');
    for (const gone of [ann, keyOfAnn]) {
      const { data } = await service.get(WebhookEndpoints).list(gone, new PageQueryDto(), (row) => row);
      expect(data).toEqual([]);
    }
    expect(receiver.at('/ann')).toEqual([]);
  });

  it('judges the credential again at every event, and disables what has none', async () => {
    const [ann, bob] = [newPrincipal(), newPrincipal()];
    const { endpoint } = await register(ann, '/outlived');
    await register(bob, '/in-force');
    await greet('before');
    await Promise.all([arrived('/outlived'), arrived('/in-force')]);
    standings.scopes.delete(ann.key);
    await greet('after');
    await arrived('/in-force', 2);
    const webhookId = webhookIdOf(endpoint.endpointId);
    const after = await service.get(WebhookEndpoints).get(ann, webhookId);
    expect(after.disabledReason).toBe('credential');
    expect(receiver.at('/outlived')).toHaveLength(1);
    await expect(
      service.get(WebhookEndpoints).update(ann, webhookId, { disabled: false }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });

  it.each([
    ['the scope of an event', ['news:webhooks'], ['greeted', 'greeted again'], null],
    ['that of webhooks', ['banking:read'], ['greeted'], 'credential'],
  ])('tells a credential that has lost %s no more than it may hear', async (_what, left, heard, reason) => {
    const ann = newPrincipal('banking:read');
    const path = `/narrowed-${left.join('')}`;
    const { endpoint } = await register(ann, path, { eventTypes: ['test.greeted', 'test.paid'] });
    await greet('greeted', { principals: [ann.key] });
    await arrived(path);
    standings.scopes.set(ann.key, new Set(left));
    await dataSource.transaction((manager) =>
      service
        .get(Webhooks)
        .publish(manager, { type: PAID, data: { name: 'paid' }, audience: { principals: [ann.key] } }),
    );
    await greet('greeted again', { principals: [ann.key] });
    await arrived(path, heard.length);
    await eventually(async () => {
      const { rows } = await pool.query(
        `SELECT FROM graphile_worker.jobs WHERE task_identifier = 'webhooks.fan_out'`,
      );
      expect(rows).toEqual([]);
    });
    expect(receiver.at(path).map(({ event }) => event.data.name as string)).toEqual(heard);
    const webhookId = webhookIdOf(endpoint.endpointId);
    expect((await service.get(WebhookEndpoints).get(ann, webhookId)).disabledReason).toBe(reason);
  });

  it('sends nothing that still waited once the credential is gone', async () => {
    const ann = newPrincipal();
    const { endpoint } = await register(ann, '/waited');
    receiver.answer = () => ({ status: 500 });
    await greet('once', { principals: [ann.key] });
    await arrived('/waited');
    standings.scopes.delete(ann.key);
    receiver.answer = () => ({ status: 204 });
    timing.pass(HOUR_MS);
    service.get(WebhookDispatcher).wake();
    const webhookId = webhookIdOf(endpoint.endpointId);
    await eventually(async () => {
      const { disabledReason } = await service.get(WebhookEndpoints).get(ann, webhookId);
      expect(disabledReason).toBe('credential');
    });
    expect((await settled(ann, webhookId)).status).toBe('failed');
    expect(receiver.at('/waited')).toHaveLength(1);
  });

  it('shows users the endpoints of all that acts for them, and everybody else their own', async () => {
    const user: Principal = { ...newPrincipal(), kind: 'user', key: `user:${++owners}`, id: 'ann' };
    const ann = { ...user, accountOwner: user.key };
    const key: Principal = { ...newPrincipal(), accountOwner: ann.key };
    const grant: Principal = { ...ann, delegatedTo: 'app' };
    const [ofAnn, ofKey, ofGrant] = await Promise.all(
      [ann, key, grant].map((each) => register(each, '/seen')),
    );
    const idsSeenBy = async (principal: Principal): Promise<string[]> =>
      (
        await service
          .get(WebhookEndpoints)
          .list(principal, new PageQueryDto(), ({ endpointId }) => endpointId)
      ).data;
    const ids = [ofAnn, ofKey, ofGrant].map((made) => made!.endpoint.endpointId);
    expect((await idsSeenBy(ann)).sort()).toEqual([...ids].sort());
    expect(await idsSeenBy(key)).toEqual([ids[1]]);
    expect(await idsSeenBy(grant)).toEqual([ids[2]]);
    expect(await idsSeenBy({ ...grant, delegatedTo: 'other app' })).toEqual([]);
    expect(ofGrant!.endpoint.credential).toBe(`grant:app:${ann.key}`);
    await expect(service.get(WebhookEndpoints).remove(grant, webhookIdOf(ids[0]!))).rejects.toMatchObject({
      code: 'not_found',
    });
    for (const id of ids) await service.get(WebhookEndpoints).remove(ann, webhookIdOf(id));
    expect(await idsSeenBy(ann)).toEqual([]);
  });

  it('delivers to those who answer while many others hang', async () => {
    const ann = newPrincipal();
    const hanging = Array.from({ length: 40 }, (_, i) => `/hangs/${i}`);
    const answering = Array.from({ length: 10 }, (_, i) => `/answers/${i}`);
    for (const path of [...hanging, ...answering]) await register(ann, path);
    receiver.answer = ({ path }) => (path.startsWith('/hangs') ? 'hang' : { status: 204 });
    const events = Array.from({ length: 50 }, (_, i) => `guest ${i}`);
    await Promise.all(events.map((name) => greet(name, { principals: [ann.key] })));
    const heardAt = (path: string): Set<string> =>
      new Set(receiver.at(path).map(({ event }) => event.data.name as string));
    for (const path of answering) {
      await eventually(() => expect(heardAt(path)).toEqual(new Set(events)));
    }
    // Some still wait for their turn; the others were attempted one at a time.
    for (const path of hanging) expect(receiver.at(path).length).toBeLessThan(events.length);
  });

  it('keeps what was sent for 30 days', async () => {
    const ann = newPrincipal();
    const { endpoint } = await register(ann, '/kept');
    await greet('ann', { principals: [ann.key] });
    const { deliveryId } = await settled(ann, webhookIdOf(endpoint.endpointId));
    await service.get(WebhookEndpoints).remove(ann, webhookIdOf(endpoint.endpointId));
    const count = async (): Promise<number[]> => {
      const { rows } = await pool.query<{ of: number }>(
        `SELECT count(*)::integer AS of FROM webhook_deliveries WHERE endpoint_id = $1
         UNION ALL SELECT count(*)::integer FROM webhook_endpoints WHERE endpoint_id = $1`,
        [endpoint.endpointId],
      );
      return rows.map(({ of }) => of);
    };
    const upkeep = service.get(WebhookUpkeep);
    timing.pass(29 * 24 * HOUR_MS);
    await upkeep.removeOld();
    expect(await count()).toEqual([1, 1]);
    timing.pass(2 * 24 * HOUR_MS);
    while (await upkeep.removeOld());
    expect(await count()).toEqual([0, 0]);
    const { rows } = await pool.query('SELECT FROM webhook_attempts WHERE delivery_id = $1', [deliveryId]);
    expect(rows).toEqual([]);
  });

  it('records attempts and removes old deliveries at the same time, without a deadlock', async () => {
    const { endpoint } = await register(newPrincipal(), '/removed');
    const [recorder, upkeep] = [service.get(AttemptRecorder), service.get(WebhookUpkeep)];
    for (let round = 0; round < 25; round++) {
      const { rows } = await pool.query<{ delivery_id: string; event_id: string }>(
        `WITH events AS (
           INSERT INTO webhook_events (type, payload, created_at)
           SELECT 'webhook.test', '{}', '2001-01-01' FROM generate_series(1, 400) RETURNING event_id
         )
         INSERT INTO webhook_deliveries (event_id, endpoint_id, step, next_attempt_at)
         SELECT event_id, $1, 1, 'infinity' FROM events RETURNING delivery_id, event_id`,
        [endpoint.endpointId],
      );
      const attempts = rows.reverse().map(({ delivery_id, event_id }) =>
        recorder.record(
          endpoint.endpointId,
          { deliveryId: delivery_id, eventId: event_id, attempts: 0, step: 1 },
          {
            startedAt: new Date(),
            durationMs: 1,
            responseStatus: 500,
            responseBody: '',
            error: null,
            retryAfterMs: 0,
          },
        ),
      );
      await Promise.all([...attempts, upkeep.removeOld()]);
    }
    while (await upkeep.removeOld());
    const { rows } = await pool.query('SELECT FROM webhook_deliveries WHERE endpoint_id = $1', [
      endpoint.endpointId,
    ]);
    expect(rows).toEqual([]);
  });
});

function deliveryIdOf({ deliveryId }: WebhookDeliveryEntity): string {
  return DELIVERY_IDS.format(Number(deliveryId));
}

/** The secrets that signed an arrival, ignoring its time. */
function signers({ id, headers, body }: Arrival, secrets: readonly string[]): string[] {
  const signatures = String(headers['webhook-signature']).split(' ');
  const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
  return secrets.filter((secret) => signatures.includes(new Webhook(secret).sign(id, at, body)));
}
