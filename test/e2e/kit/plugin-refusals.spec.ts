import { Controller, forwardRef, Get, Injectable, Module } from '@nestjs/common';
import { WebSocketGateway } from '@nestjs/websockets';
import { Entity, PrimaryColumn } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ApiErrors,
  ApprovalType,
  JobTask,
  MetricsRegistry,
  ErrorCode,
  Scope,
  Public,
  RequireScopes,
  SocketGateway,
  text,
  TradepostPlugin,
  WebhookEventType,
  type PluginDeclaration,
} from '../../../src/index.js';
import { createDemoDatabase, startTestApp } from '../../support/app.js';
import type { TestDatabase } from '../../support/database.js';

class CreateNothing1790000000200 {
  up = async (): Promise<void> => {};
  down = async (): Promise<void> => {};
}

class LedgerBaseline1780000000110 extends CreateNothing1790000000200 {}

@Entity('orders')
class OwnOrders {
  @PrimaryColumn({ type: 'bigint' })
  id: string;
}

@Entity('acme_missing')
class Missing {
  @PrimaryColumn({ type: 'bigint' })
  id: string;
}

@Controller('acme-bare')
class BareController {
  @Get()
  bare(): void {}
}

@Public()
@Controller('orders')
class GreedyController {
  @Get(':anything')
  take(): void {}
}

@Controller('acme-scope')
class UnlistedScopeController {
  @Get()
  @RequireScopes({ anyOf: [new Scope('acme:read', 'read')] })
  read(): void {}
}

@Public()
@Controller('acme-code')
class UnlistedCodeController {
  @Get()
  @ApiErrors(new ErrorCode('acme_gone', 404))
  read(): void {}
}

@Injectable()
class Thrower {
  constructor() {
    throw new Error('no coffee\nand no tea');
  }
}

@Injectable()
class LateThrower {
  onModuleInit(): Promise<void> {
    return Promise.reject(new Error('no milk'));
  }
}

@Injectable()
class Needy {
  constructor(readonly missing: Missing) {}
}

@Injectable()
class DurationCounter {
  constructor(metrics: MetricsRegistry) {
    metrics.counter(DURATION);
  }
}

@Injectable()
class DoubleCounter {
  constructor(metrics: MetricsRegistry) {
    metrics.counter(DOUBLE);
    metrics.counter(DOUBLE);
  }
}

@Module({
  providers: [
    {
      provide: 'counter',
      useFactory: (metrics: MetricsRegistry) => metrics.counter(DOUBLE),
      inject: [MetricsRegistry],
    },
  ],
})
class FactoryModule {}

/** Imports the one that counts as deeply as can be. */
@Module({ imports: [forwardRef(() => FactoryModule)] })
class OuterModule {}

@SocketGateway('/account', 'anyone')
@Public()
@Injectable()
class AccountThief {}

@Injectable()
class Worker {
  readonly kind = {};
}

const POLL_FEED = new JobTask('news.poll_feed').handledBy(Worker, () => Promise.resolve());
const REPORT = new JobTask('acme.report').handledBy(Worker, () => Promise.resolve());
const PAYOUT = new ApprovalType('payout').carriedOutBy(Worker, ({ kind }) => kind);
const KYC_LEVEL = new ApprovalType('kyc_level').carriedOutBy(Worker, ({ kind }) => kind);
const GRANT = new ApprovalType('acme_grant').carriedOutBy(Worker, ({ kind }) => kind);

@WebSocketGateway({ namespace: '/acme' })
@Injectable()
class BareGateway {}

const DURATION = { name: 'job_duration_seconds', help: 'Jobs.' };
const BATCHES_OF_ACME = { name: 'acme_batches_total', help: 'Batches.' };
const DOUBLE = { name: 'acme_double_total', help: 'Doubles.' };

const migrations = [CreateNothing1790000000200] as unknown as PluginDeclaration['migrations'];

/** What only the whole application shows; src/kit/module/plugin.spec.ts has what a declaration shows alone. */
describe('a plugin that does not fit', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDemoDatabase();
  });
  afterAll(() => database.drop());

  it.each<[string, Partial<PluginDeclaration>, string]>([
    [
      'a route without a declared caller',
      { controllers: [BareController] },
      'Routes without @Public, @Authenticated or @RequireScopes: GET BareController.bare.',
    ],
    [
      'the name of a group',
      { name: 'chat' },
      'A plugin is named "chat", as a part of the service is; rename it.',
    ],
    [
      'a route that takes those of the service',
      { controllers: [GreedyController] },
      'Plugin "acme": GET /orders/:anything (GET GreedyController.take) takes the requests of /orders/',
    ],
    [
      'a field that orders have already',
      { name: 'client', fields: [{ on: 'orders', name: 'client_order_id', type: text(20) }] },
      'Plugin "client": the field "client_order_id on orders" is one of the service; choose another name.',
    ],
    [
      'a scope that it does not list',
      { controllers: [UnlistedScopeController] },
      'Plugin "acme": GET UnlistedScopeController.read requires the scope "acme:read"; list it in "scopes".',
    ],
    [
      'an error code that it does not list',
      { controllers: [UnlistedCodeController] },
      'Plugin "acme": GET UnlistedCodeController.read documents the error code "acme_gone"; list it in "errorCodes".',
    ],
    [
      'a table of the service',
      { entities: [OwnOrders], migrations },
      'Plugin "acme": the table "orders" is one of the service; choose another name.',
    ],
    [
      'a table that no migration makes',
      { entities: [Missing], migrations },
      'Plugin "acme": no migration makes the table "acme_missing" of Missing.',
    ],
    [
      'a migration of the service',
      { migrations: [LedgerBaseline1780000000110] },
      'Plugin "acme": the migration "LedgerBaseline1780000000110" is one of the service; choose another name.',
    ],
    ['a constructor that throws', { providers: [Thrower] }, 'Plugin "acme" failed in Thrower: no coffee'],
    ['a hook that throws', { providers: [LateThrower] }, 'Plugin "acme" failed in LateThrower: no milk'],
    [
      'a dependency that there is not',
      { providers: [Needy] },
      'Plugin "acme" failed in Needy: Nest can\'t resolve dependencies of the Needy (?).',
    ],
    [
      'a metric of the service',
      { name: 'job', metrics: [DURATION], providers: [DurationCounter] },
      'Plugin "job": the metric "job_duration_seconds" is one of the service; choose another name.',
    ],
    [
      'a metric made twice',
      { metrics: [DOUBLE], providers: [DoubleCounter] },
      'Plugin "acme": the metric "acme_double_total" is made twice; make it once and share it.',
    ],
    [
      'a metric that it does not list',
      { metrics: [BATCHES_OF_ACME], providers: [DoubleCounter] },
      'Plugin "acme": the metric "acme_double_total" is not declared; list it in "metrics".',
    ],
    [
      'a metric that it does not list, in a module that it imports',
      { metrics: [BATCHES_OF_ACME], imports: [{ module: OuterModule, providers: [] }] },
      'Plugin "acme": the metric "acme_double_total" is not declared; list it in "metrics".',
    ],
    [
      'a job of the service',
      { providers: [Worker], jobs: [POLL_FEED] },
      'Plugin "acme": the job "news.poll_feed" is one of the service; choose another name.',
    ],
    [
      'a job with two handlers',
      { providers: [Worker], jobs: [REPORT, REPORT] },
      'Plugin "acme": the job "acme.report" has two handlers; keep one.',
    ],
    [
      'a handler that no module provides',
      { jobs: [REPORT] },
      'Plugin "acme": Worker is declared, and no module provides it; list it in "providers".',
    ],
    [
      'an approval kind without its name',
      { providers: [Worker], approvals: [PAYOUT] },
      'Plugin "acme": the approval kind "payout" must begin with "acme_".',
    ],
    [
      'an approval kind of the service',
      { name: 'kyc', providers: [Worker], approvals: [KYC_LEVEL] },
      'Plugin "kyc": the approval kind "kyc_level" is one of the service; choose another name.',
    ],
    [
      'an approval kind declared twice',
      { providers: [Worker], approvals: [GRANT, GRANT] },
      'Plugin "acme": the approval kind "acme_grant" is declared twice; keep one.',
    ],
    [
      'an event of the service',
      {
        name: 'webhook',
        webhookEvents: [new WebhookEventType({ name: 'webhook.test', description: 'x.', data: Missing })],
      },
      'Plugin "webhook": the webhook event "webhook.test" is one of the service; choose another name.',
    ],
    [
      'a namespace of the service',
      { name: 'account', providers: [AccountThief] },
      'Plugin "account": the namespace "/account" is one of the service; choose another name.',
    ],
    [
      'a namespace that says not who may connect',
      { providers: [BareGateway] },
      'The namespace /acme needs @SocketGateway, which says who may connect.',
    ],
  ])('stops the start in one line: %s', async (_what, declared, line) => {
    class AcmePlugin {}
    TradepostPlugin({ name: 'acme', compatibility: '*', ...declared })(AcmePlugin);
    const refusal: unknown = await startTestApp({ databaseUrl: database.url, plugins: [AcmePlugin] }).then(
      async ({ close }) => close(),
      (error: unknown) => error,
    );
    expect(refusal).toMatchObject({ name: expect.stringMatching(/^(StartRefusal|MetricTaken)$/) });
    const { message } = refusal as Error;
    expect(message).toContain(line);
    expect(message).not.toContain('\n');
  });
});
