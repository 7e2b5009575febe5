import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EXTENSION_POINTS, bindPlugins, type ExtensionPoint, type Plugin } from './plugin.js';

/** Loads the plugins' modules and provides every extension point, bound or default, to the whole service. */
@Global()
@Module({})
export class ExtensionModule {
  /** Throws a StartRefusal for plugins that are incompatible with each other or with this version. */
  static forRoot(plugins: readonly Plugin[], serviceVersion: string): DynamicModule {
    const bound = bindPlugins(plugins, serviceVersion);
    const points = [...EXTENSION_POINTS];
    return {
      module: ExtensionModule,
      imports: plugins.flatMap(({ module, entities = [] }) =>
        entities.length > 0 ? [TypeOrmModule.forFeature([...entities]), module] : [module],
      ),
      providers: points.map(([point, standard]) => providerOf(point, bound.get(point), standard)),
      exports: points.map(([point]) => point),
    };
  }
}

function providerOf(point: ExtensionPoint, bound: Provider | undefined, standard: Provider): Provider {
  // A bound class belongs to its plugin's module, which has its dependencies.
  return bound
    ? { provide: point, useExisting: bound as never }
    : { provide: point, useClass: standard as never };
}
