import {
  Controller,
  forwardRef,
  Get,
  Global,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestModule,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { WebSocketGateway } from '@nestjs/websockets';
import { Entity, PrimaryColumn } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ApiErrors,
  ApprovalType,
  AuditLog,
  DurableListener,
  type DueRun,
  JobTask,
  LedgerConsumer,
  MetricsRegistry,
  ErrorCode,
  Schedule,
  Scope,
  Public,
  RequireScopes,
  SharedCache,
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

const DAILY = new JobTask<DueRun>('daily');
const DAILY_HANDLER = DAILY.handledBy(Worker, () => Promise.resolve());
class NotOne {
  readonly name = 'not-one';
}
class Nameless extends LedgerConsumer {
  override readonly name = '';
}
class Counting extends LedgerConsumer {
  override readonly name = 'counting';
}
class CountingToo extends LedgerConsumer {
  override readonly name = 'counting';
}

function listenerTo(type: string) {
  return class Listener extends DurableListener {
    override readonly name = 'listener';
    override readonly types = [type];
    override async events(): Promise<void> {}
  };
}

function migrationOf(statement: string) {
  return class Acme1790000000300 {
    name = 'Acme1790000000300';
    async up(runner: { query(text: string): Promise<unknown> }): Promise<void> {
      await runner.query(statement);
    }
    async down(): Promise<void> {}
  };
}

const REPORT = new JobTask('acme.report').handledBy(Worker, () => Promise.resolve());
const PAYOUT = new ApprovalType('payout').carriedOutBy(Worker, ({ kind }) => kind);
const KYC_LEVEL = new ApprovalType('kyc_level').carriedOutBy(Worker, ({ kind }) => kind);
const GRANT = new ApprovalType('acme_grant').carriedOutBy(Worker, ({ kind }) => kind);

@WebSocketGateway({ namespace: '/acme' })
@Injectable()
class BareGateway {}

const doors = [
  { name: 'guard', token: APP_GUARD, decorator: '@UseGuards' },
  { name: 'pipe', token: APP_PIPE, decorator: '@UsePipes' },
  { name: 'interceptor', token: APP_INTERCEPTOR, decorator: '@UseInterceptors' },
  { name: 'exception filter', token: APP_FILTER, decorator: '@UseFilters' },
];

@Module({})
class InnerModule {}

@Module({
  imports: [InnerModule],
  providers: [{ provide: APP_GUARD, useValue: { canActivate: () => true } }],
})
class GuardingModule {}

@Module({})
class WatchingModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply((_request: unknown, _response: unknown, next: () => void) => next()).forRoutes('*all');
  }
}

@Global()
@Module({ providers: [{ provide: AuditLog, useValue: {} }], exports: [AuditLog] })
class ShadowingModule {}

class OneCache extends SharedCache<string> {
  override readonly name: string = 'same';
}
class OtherCache extends OneCache {}
class NamelessCache extends SharedCache<string> {
  override readonly name = 'A b';
}

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
      'a schedule of a job that it does not list',
      { schedules: [new Schedule(DAILY, '0 6 * * *')] },
      'Plugin "acme": the schedule of "daily" is of a job that is not listed in "jobs".',
    ],
    [
      'a schedule that is none',
      { providers: [Worker], jobs: [DAILY_HANDLER], schedules: [new Schedule(DAILY, 'every day')] },
      'Plugin "acme": the schedule of "daily" needs a cron expression of five fields, such as "0 6 * * *", and not "every day".',
    ],
    [
      'a schedule with seconds',
      { providers: [Worker], jobs: [DAILY_HANDLER], schedules: [new Schedule(DAILY, '* * * * * *')] },
      'needs a cron expression of five fields',
    ],
    [
      'a schedule that is never due',
      { providers: [Worker], jobs: [DAILY_HANDLER], schedules: [new Schedule(DAILY, '0 0 30 2 *')] },
      'Plugin "acme": the schedule of "daily" is never due: "0 0 30 2 *".',
    ],
    [
      'a job of another plugin',
      { name: 'other', providers: [Worker], jobs: [DAILY_HANDLER] },
      'Plugin "other": the job "daily" is one of another plugin; make another.',
    ],
    [
      'a consumer without a name',
      { consumers: [Nameless] },
      'Plugin "acme": the consumer Nameless needs a "name": text of at most 40 characters such as acme-loyalty',
    ],
    [
      'two consumers of one name',
      { consumers: [Counting, CountingToo] },
      'Plugin "acme": the consumer CountingToo has the name "counting" of another one; rename it.',
    ],
    [
      'a consumer of nothing',
      { consumers: [NotOne] as never },
      'Plugin "acme": the consumer NotOne must extend LedgerConsumer or DurableListener.',
    ],
    [
      'a listener to what there is not',
      { consumers: [listenerTo('news.imagined')] },
      'listens to "news.imagined", which is no event of the service or a plugin.',
    ],
    [
      'a listener to what the ledger tells',
      { consumers: [listenerTo('order.filled')] },
      'listens to "order.filled", which the ledger tells: let it extend LedgerConsumer.',
    ],
    ...[
      'ALTER TABLE users ADD COLUMN acme_points bigint',
      'ALTER TABLE orders DROP COLUMN client_order_id',
      'CREATE INDEX acme_fast ON orders (status)',
      'ALTER TABLE users ALTER COLUMN username SET DEFAULT $$x$$',
      'ALTER TABLE accounts ADD CONSTRAINT acme_few CHECK (account_id >= 0)',
      'DROP TABLE payouts CASCADE',
      `CREATE FUNCTION acme_note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
       CREATE TRIGGER acme_note BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION acme_note()`,
    ].map((statement): [string, Partial<PluginDeclaration>, string] => [
      statement,
      { migrations: [migrationOf(statement)] },
      `Plugin "acme": the migration "Acme1790000000300" changes the table "${/(?:TABLE|ON) (users|orders|accounts|payouts)/.exec(statement)![1]}" of the service; keep what it adds in a table of its own, with an entity.`,
    ]),
    [
      'a job with two handlers',
      { providers: [Worker], jobs: [REPORT, REPORT] },
      'Plugin "acme": the job "acme:acme.report" has two handlers; keep one.',
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
    ...doors.map((door): [string, Partial<PluginDeclaration>, string] => [
      `a global ${door.name}`,
      { providers: [{ provide: door.token, useClass: Worker }] },
      `Plugin "acme": AcmePlugin provides a global ${door.name}, which would work on the routes of all; put ${door.decorator} on controllers of its own.`,
    ]),
    [
      'a global guard in a module that it imports',
      { imports: [{ module: GuardingModule, providers: [] }] },
      'Plugin "acme": GuardingModule provides a global guard, which would work on the routes of all;',
    ],
    [
      'middleware',
      { imports: [WatchingModule] },
      'Plugin "acme": WatchingModule configures middleware, which would work on the routes of all;',
    ],
    [
      'a global module with what is of the service',
      { imports: [ShadowingModule] },
      'Plugin "acme": the global module ShadowingModule exports AuditLog, which is of the service; take @Global from it.',
    ],
    [
      'caches of one name',
      { caches: [OneCache, OtherCache] },
      'Plugin "acme": the name "same" of OtherCache is that of another cache; change one of them.',
    ],
    [
      'a cache whose name is none',
      { caches: [NamelessCache] },
      'Plugin "acme": the name "A b" of NamelessCache must be text of at most 40 characters',
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
