import { Module, type DynamicModule } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CoreModule } from './core/core.module.js';
import { AdminModule } from './modules/admin/admin.module.js';
import { AuthModule } from './modules/auth/auth.module.js';
import { CredentialGuard } from './modules/auth/credential.guard.js';
import { MarketsModule } from './modules/markets/markets.module.js';
import { UsersModule } from './modules/users/users.module.js';
import { ConfigModule } from './platform/config/config.module.js';
import type { Config } from './platform/config/config.js';
import { DatabaseModule } from './platform/database/database.module.js';
import { ExtensionModule } from './platform/extension/extension.module.js';
import type { Plugin } from './platform/extension/plugin.js';
import { BodyGuard } from './platform/http/body/body.guard.js';
import { HttpModule } from './platform/http/http.module.js';
import { RateLimitGuard } from './platform/http/rate-limit/rate-limit.guard.js';
import { MetricsModule } from './platform/metrics/metrics.module.js';
import { SecurityModule } from './platform/security/security.module.js';
import { SERVICE_VERSION } from './version.js';

@Module({})
export class AppModule {
  static forRoot({ config, plugins }: { config: Config; plugins: readonly Plugin[] }): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(config),
        MetricsModule,
        HttpModule,
        SecurityModule,
        DatabaseModule,
        ExtensionModule.forRoot(plugins, SERVICE_VERSION),
        CoreModule,
        UsersModule,
        AuthModule,
        MarketsModule,
        AdminModule,
      ],
      providers: [
        // In this order: who calls, whether there is room for the call, and only then what it says.
        { provide: APP_GUARD, useExisting: CredentialGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_GUARD, useExisting: BodyGuard },
      ],
    };
  }
}
