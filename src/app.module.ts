import { Module, type DynamicModule } from '@nestjs/common';
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
import { ApprovalsModule } from './platform/approvals/approvals.module.js';
import { AuditModule } from './platform/audit/audit.module.js';
import { ConfigModule } from './platform/config/config.module.js';
import type { Config } from './platform/config/config.js';
import type { DatabaseConnection } from './platform/database/database-connection.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { ExtensionModule } from './platform/extension/extension.module.js';
import type { PluginSet } from './platform/extension/plugin-set.js';
import { BodyGuard } from './platform/server/body.guard.js';
import { HttpModule } from './platform/server/http.module.js';
import { IdempotencyModule } from './platform/http/idempotency/idempotency.module.js';
import { BodyCostGuard, RateLimitGuard } from './platform/rate-limit/rate-limit.guard.js';
import { JobsModule } from './platform/jobs/jobs.module.js';
import { MailModule } from './platform/mail/mail.module.js';
import { MetricsModule } from './platform/metrics/metrics.module.js';
import { OutgoingModule } from './platform/outgoing/outgoing.module.js';
import { PeersModule } from './platform/peers/peers.module.js';
import { PersonalDataModule } from './platform/personal-data/personal-data.module.js';
import { RealtimeModule } from './platform/realtime/realtime.module.js';
import { RedisModule } from './platform/redis/redis.module.js';
import { SecurityModule } from './platform/security/security.module.js';
import { VaultModule } from './platform/vault/vault.module.js';
import { WebhooksModule } from './platform/webhooks/webhooks.module.js';

export interface AppModuleOptions {
  readonly config: Config;
  readonly plugins: PluginSet;
  readonly connection: DatabaseConnection;
}

@Module({})
export class AppModule {
  static forRoot({ config, plugins, connection }: AppModuleOptions): DynamicModule {
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
          migrations: plugins.migrationsWith(migrations),
          inspectEntities: (entities) => plugins.requireOwnTables(entities),
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
        ExtensionModule.forRoot(plugins),
        VaultModule,
        WebhooksModule,
        PersonsModule,
        ApprovalsModule,
        CoreModule,
        CoreAccessModule,
        // Routes stand in this order, and /user/login is no user's name.
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
