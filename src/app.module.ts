import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CoreModule } from './core/core.module.js';
import { DemoModule } from './demo/demo.module.js';
import { migrations } from './migrations/index.js';
import { AdminModule } from './modules/admin/admin.module.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { AccountRolesModule } from './modules/auth/memberships/account-roles.module.js';
import { CredentialStandingsModule } from './modules/auth/credentials/credential-standings.module.js';
import { CredentialGuard } from './modules/auth/credential.guard.js';
import { BankingModule } from './modules/banking/banking.module.js';
import { BlogModule } from './modules/blog/blog.module.js';
import { ChatModule } from './modules/chat/chat.module.js';
import { CoreAccessModule } from './modules/core-access/core-access.module.js';
import { CurrentViewGuard } from './modules/core-access/current-view.guard.js';
import { TradingModule } from './modules/exchange/trading/trading.module.js';
import { ExchangeModule } from './modules/exchange/exchange.module.js';
import { LimitsModule } from './modules/limits/limits.module.js';
import { SignedKeysModule } from './modules/auth/signed-keys/signed-keys.module.js';
import { MarketDataModule } from './modules/markets/market-data/market-data.module.js';
import { MarketsModule } from './modules/markets/markets.module.js';
import { NewsModule } from './modules/news/news.module.js';
import { PetsModule } from './modules/pets/pets.module.js';
import { LiabilitiesModule } from './modules/proof/liabilities/liabilities.module.js';
import { StoreModule } from './modules/store/store.module.js';
import { ProofModule } from './modules/proof/proof.module.js';
import { PersonsModule } from './modules/users/persons.module.js';
import { UsersModule } from './modules/users/users.module.js';
import { WalletsModule } from './modules/wallets/wallets.module.js';
import { ApprovalsModule } from './kit/approvals/approvals.module.js';
import { AuditModule } from './kit/audit/audit.module.js';
import { ConfigModule } from './kit/config/config.module.js';
import type { Config } from './kit/config/config.js';
import type { DatabaseConnection } from './kit/database/database-connection.js';
import { DatabaseModule } from './kit/database/database.module.js';
import { chosenModules } from './kit/module/chosen-groups.js';
import { ExtensionModule } from './kit/module/extension.module.js';
import { ModuleSet } from './kit/module/module-set.js';
import { FilesModule } from './kit/files/files.module.js';
import { SERVICE_VERSION } from './version.js';
import { BodyGuard } from './kit/server/body.guard.js';
import { HttpModule } from './kit/server/http.module.js';
import { IdempotencyModule } from './kit/http/idempotency/idempotency.module.js';
import { BodyCostGuard, RateLimitGuard } from './kit/rate-limit/rate-limit.guard.js';
import { JobsModule } from './kit/jobs/jobs.module.js';
import { MailModule } from './kit/mail/mail.module.js';
import { MetricsModule } from './kit/metrics/metrics.module.js';
import { OutgoingModule } from './kit/outgoing/outgoing.module.js';
import { PeersModule } from './kit/peers/peers.module.js';
import { PersonalDataModule } from './kit/personal-data/personal-data.module.js';
import { RealtimeModule } from './kit/realtime/realtime.module.js';
import { RedisModule } from './kit/redis/redis.module.js';
import { SecurityModule } from './kit/security/security.module.js';
import { VaultModule } from './kit/vault/vault.module.js';
import { WebhooksModule } from './kit/webhooks/webhooks.module.js';

export interface AppModuleOptions {
  readonly config: Config;
  /** All that `SERVICE_MODULES` and the plugins declare. */
  readonly modules: ModuleSet;
  readonly connection: DatabaseConnection;
}

/** The service's own modules, each of which declares what it is. Routes stand in this order: /user/login is no user's name. */
export const SERVICE_MODULES: readonly Type[] = [
  FilesModule,
  VaultModule,
  WebhooksModule,
  CoreModule,
  CoreAccessModule,
  AuthModule,
  CredentialStandingsModule,
  SignedKeysModule,
  AccountRolesModule,
  LimitsModule,
  UsersModule,
  MarketsModule,
  MarketDataModule,
  ExchangeModule,
  TradingModule,
  WalletsModule,
  BankingModule,
  LiabilitiesModule,
  PetsModule,
  StoreModule,
  NewsModule,
  BlogModule,
  ChatModule,
  ProofModule,
  AdminModule,
  DemoModule,
];

/** What the others stand on, and what watches over all of it: no service is without them. */
export const ALWAYS: readonly Type[] = [
  FilesModule,
  VaultModule,
  WebhooksModule,
  CoreModule,
  CoreAccessModule,
  AuthModule,
  LimitsModule,
  UsersModule,
  AdminModule,
  DemoModule,
];

/** The declarations of the service and of plugins. Throws a StartRefusal that says what is wrong with a plugin or with `GROUPS`. */
export function modulesWith(plugins: readonly Type[], { environment, groups, nodeEnv }: Config): ModuleSet {
  return ModuleSet.of({
    own: SERVICE_MODULES,
    started: chosenModules({ modules: SERVICE_MODULES, always: ALWAYS }, groups),
    plugins,
    serviceVersion: SERVICE_VERSION,
    environment,
    isProduction: nodeEnv === 'production',
  });
}

@Module({})
export class AppModule {
  static forRoot({ config, modules, connection }: AppModuleOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        MetricsModule,
        HttpModule,
        SecurityModule,
        RealtimeModule,
        DatabaseModule.forRoot({
          connection,
          migrations: modules.migrationsWith(migrations),
          inspectEntities: (entities) => modules.requireOwnTables(entities),
          secondConnections: config.nodeEnv === 'production' ? 'logged' : 'refused',
        }),
        RedisModule,
        PeersModule,
        IdempotencyModule,
        JobsModule,
        AuditModule,
        PersonalDataModule,
        OutgoingModule,
        MailModule,
        ExtensionModule.forRoot(modules),
        PersonsModule,
        ApprovalsModule,
        ...modules.started,
      ],
      providers: [
        // In this order: who calls, whether there is room for the call, what it says and costs, and then what it may see.
        { provide: APP_GUARD, useExisting: CredentialGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_GUARD, useExisting: BodyGuard },
        { provide: APP_GUARD, useExisting: BodyCostGuard },
        { provide: APP_GUARD, useExisting: CurrentViewGuard },
      ],
    };
  }
}
