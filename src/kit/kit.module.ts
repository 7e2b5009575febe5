import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AuditModule } from './audit/audit.module.js';
import { ChangesModule } from './changes/changes.module.js';
import type { Config } from './config/config.js';
import { ConfigModule } from './config/config.module.js';
import { ConsumersModule } from './consumers/consumers.module.js';
import { DatabaseModule, type DatabaseModuleOptions } from './database/database.module.js';
import { FilesModule } from './files/files.module.js';
import { FiltersModule } from './filters/filters.module.js';
import { IdempotencyModule } from './http/idempotency/idempotency.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { MailModule } from './mail/mail.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { KitBaseline1780000000000 } from './migrations/1780000000000-baseline.js';
import { DurableConsumers1780000030000 } from './migrations/1780000030000-durable-consumers.js';
import { StoredFields1780000050100 } from './migrations/1780000050100-stored-fields.js';
import { declarationOf, TradepostModule } from './module/tradepost-module.js';
import { OutgoingModule } from './outgoing/outgoing.module.js';
import { PeersModule } from './peers/peers.module.js';
import { PersonalDataModule } from './personal-data/personal-data.module.js';
import { RealtimeModule } from './realtime/realtime.module.js';
import { RedisModule } from './redis/redis.module.js';
import { SecurityModule } from './security/security.module.js';
import { HttpModule } from './server/http.module.js';
import { ApiTexts } from './server/openapi/api-texts.js';
import { TracingModule } from './tracing/tracing.module.js';
import { VaultModule } from './vault/vault.module.js';
import { MAIL_WORDS } from './words/mail-words.js';
import { WebhookPortModule } from './webhooks/webhook-port.module.js';

/** The tables of all parts, and the words of mails. */
@TradepostModule({
  name: 'kit',
  migrations: [KitBaseline1780000000000, DurableConsumers1780000030000, StoredFields1780000050100],
  words: [MAIL_WORDS],
})
class KitTables {}

const PARTS: readonly Type[] = [
  KitTables,
  MetricsModule,
  TracingModule,
  HttpModule,
  SecurityModule,
  RealtimeModule,
  RedisModule,
  PeersModule,
  IdempotencyModule,
  JobsModule,
  ChangesModule,
  ConsumersModule,
  AuditModule,
  PersonalDataModule,
  OutgoingModule,
  MailModule,
  ApprovalsModule,
  FilesModule,
  FiltersModule,
  VaultModule,
  WebhookPortModule,
];

/** Those that declare something, as groups do. */
export const DECLARED_PARTS = PARTS.filter((part) => declarationOf(part) !== undefined);

export interface KitModuleOptions {
  readonly config: Config;
  readonly database: DatabaseModuleOptions;
  readonly apiTexts: ApiTexts;
}

/** What every module may inject: the one global module of the kit, whose parts need each other through it. */
@Global()
@Module({})
export class KitModule {
  static forRoot({ config, database, apiTexts }: KitModuleOptions): DynamicModule {
    const parts = [ConfigModule.forRoot(config), DatabaseModule.forRoot(database), ...PARTS];
    const providers = [{ provide: ApiTexts, useValue: apiTexts }];
    return { module: KitModule, imports: parts, providers, exports: [...parts, ApiTexts] };
  }
}
