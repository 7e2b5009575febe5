import { type DynamicModule, Module } from '@nestjs/common';
import { CONFIG, type Config } from './config.js';

/** Makes the process's one `Config` injectable everywhere as `@Inject(CONFIG) config: Config`. */
@Module({})
export class ConfigModule {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ConfigModule,
      providers: [{ provide: CONFIG, useValue: config }],
      exports: [CONFIG],
    };
  }
}
