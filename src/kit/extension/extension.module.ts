import { Global, Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PluginSettings } from '../config/plugin-settings.js';
import { DeclaredRoutes, markPlugin } from '../http/declared-routes.js';
import { ErrorCatalogue } from '../http/plugin-error-code.js';
import { ScopeCatalogue } from '../security/plugin-scope.js';
import { EXTENSION_POINTS, type ExtensionPoint } from './extension-points.js';
import { PluginCheck } from './plugin-check.js';
import { PluginMetrics } from './plugin-metrics.js';
import { classesOf } from './plugin-modules.js';
import { PluginSet } from './plugin-set.js';

/** Loads the plugins' modules, and provides every extension point and what plugins add to the whole service. */
@Global()
@Module({})
export class ExtensionModule {
  static forRoot(set: PluginSet): DynamicModule {
    const points = [...EXTENSION_POINTS];
    for (const plugin of set.plugins) {
      for (const type of classesOf(plugin)) markPlugin(type, plugin.name);
    }
    PluginMetrics.limitModulesOf(set);
    return {
      module: ExtensionModule,
      imports: [DiscoveryModule, ...set.plugins.map(({ type }) => type)],
      providers: [
        ...points.map(([point, standard]) => providerOf(point, set.implementationOf(point), standard)),
        { provide: PluginSet, useValue: set },
        { provide: PluginSettings, useValue: set.settings },
        { provide: ScopeCatalogue, useValue: set.scopes },
        { provide: ErrorCatalogue, useValue: set.errorCodes },
        DeclaredRoutes,
        PluginCheck,
        PluginMetrics,
      ],
      exports: [
        ...points.map(([point]) => point),
        PluginSettings,
        PluginMetrics,
        ScopeCatalogue,
        ErrorCatalogue,
      ],
    };
  }
}

function providerOf(point: ExtensionPoint, bound: Type | undefined, standard: Type): Provider {
  // A bound class belongs to its plugin's module, which has its dependencies.
  return bound ? { provide: point, useExisting: bound } : { provide: point, useClass: standard };
}
