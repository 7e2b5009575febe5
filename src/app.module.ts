import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CoreModule } from './core/core.module.js';
import { DemoModule } from './demo/demo.module.js';
import { AccountsModule } from './modules/accounts/accounts.module.js';
import { AdminModule } from './modules/admin/admin.module.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { CredentialGuard } from './modules/auth/guard/credential.guard.js';
import { BankingModule } from './modules/banking/banking.module.js';
import { BlogModule } from './modules/blog/blog.module.js';
import { ChatModule } from './modules/chat/chat.module.js';
import { CurrentViewGuard } from './modules/accounts/moments/current-view.guard.js';
import { ExchangeModule } from './modules/exchange/exchange.module.js';
import { LimitsModule } from './modules/limits/limits.module.js';
import { MarketsModule } from './modules/markets/markets.module.js';
import { NewsModule } from './modules/news/news.module.js';
import { PetsModule } from './modules/pets/pets.module.js';
import { LiabilitiesModule } from './modules/proof/liabilities/liabilities.module.js';
import { StoreModule } from './modules/store/store.module.js';
import { ProofModule } from './modules/proof/proof.module.js';
import { UsersModule } from './modules/users/users.module.js';
import { WebhookEndpointsModule } from './modules/webhooks/endpoints/webhook-endpoints.module.js';
import { WebhooksModule } from './modules/webhooks/webhooks.module.js';
import { WalletsModule } from './modules/wallets/wallets.module.js';
import type { Config } from './kit/config/config.js';
import type { DatabaseConnection } from './kit/database/database-connection.js';
import { DECLARED_PARTS, KitModule } from './kit/kit.module.js';
import { chosenGroups } from './kit/module/chosen-groups.js';
import { ExtensionModule } from './kit/module/extension.module.js';
import { ModuleSet } from './kit/module/module-set.js';
import type { Texts } from './kit/words/texts.js';
import { API_TEXTS } from './openapi/api-texts.js';
import { refuseFormer } from './former-migrations.js';
import { SERVICE_VERSION } from './version.js';
import { BodyGuard } from './kit/server/body.guard.js';
import { ReceiptPreferenceGuard } from './kit/server/receipt-preference.guard.js';
import { BodyCostGuard, RateLimitGuard } from './kit/rate-limit/rate-limit.guard.js';

export interface AppModuleOptions {
  readonly config: Config;
  /** All that `SERVICE_MODULES` and the plugins declare. */
  readonly modules: ModuleSet;
  readonly connection: DatabaseConnection;
  /** Left out, those of the modules as they are. */
  readonly texts?: Texts;
}

/** The service's own modules, each of which declares what it is. Routes stand in this order: /news/webhooks is no item's address. */
export const SERVICE_MODULES: readonly Type[] = [
  CoreModule,
  AuthModule,
  LimitsModule,
  UsersModule,
  AccountsModule,
  WebhooksModule,
  MarketsModule,
  ExchangeModule,
  WalletsModule,
  BankingModule,
  LiabilitiesModule,
  PetsModule,
  StoreModule,
  WebhookEndpointsModule,
  NewsModule,
  BlogModule,
  ChatModule,
  ProofModule,
  AdminModule,
  DemoModule,
];

/** What the others stand on, and what watches over all of it: no service is without them. */
export const ALWAYS: readonly Type[] = [
  CoreModule,
  AuthModule,
  LimitsModule,
  UsersModule,
  AccountsModule,
  WebhooksModule,
  WebhookEndpointsModule,
  AdminModule,
  DemoModule,
];

/** The declarations of the service and of plugins. Throws a StartRefusal that says what is wrong with a plugin or with `GROUPS`. */
export function modulesWith(plugins: readonly Type[], { environment, groups, nodeEnv }: Config): ModuleSet {
  return ModuleSet.of({
    own: [...DECLARED_PARTS, ...SERVICE_MODULES],
    started: [...DECLARED_PARTS, ...chosenGroups({ groups: SERVICE_MODULES, always: ALWAYS }, groups)],
    plugins,
    serviceVersion: SERVICE_VERSION,
    environment,
    isProduction: nodeEnv === 'production',
  });
}

@Module({})
export class AppModule {
  static forRoot({ config, modules, connection, texts }: AppModuleOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        KitModule.forRoot({
          config,
          apiTexts: API_TEXTS,
          database: {
            connection,
            migrations: modules.migrations,
            inspectMigrations: (areDone) => refuseFormer(areDone, modules.migrations),
            inspectEntities: (entities) => modules.requireOwnTables(entities),
            secondConnections: config.nodeEnv === 'production' ? 'logged' : 'refused',
          },
        }),
        ExtensionModule.forRoot(modules, texts),
        // Its guard is bound below.
        AuthModule,
      ],
      providers: [
        // In this order: who calls, whether there is room for the call, what it says and costs, what it may see, and what it wants besides.
        { provide: APP_GUARD, useExisting: CredentialGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_GUARD, useExisting: BodyGuard },
        { provide: APP_GUARD, useExisting: BodyCostGuard },
        { provide: APP_GUARD, useExisting: CurrentViewGuard },
        { provide: APP_GUARD, useExisting: ReceiptPreferenceGuard },
      ],
    };
  }
}
