import { Injectable, type FactoryProvider, type Type } from '@nestjs/common';
import { MODULE_METADATA } from '@nestjs/common/internal';
import { StartRefusal } from '../config/start-refusal.js';
import { MetricsRegistry } from '../metrics/metrics-registry.js';
import { classOf, modulesOf } from './module-classes.js';
import { ModuleSet } from './module-set.js';

const LIMITED = new WeakSet<Type>();

/** Gives each module of a plugin a registry that makes the metrics alone which the plugin declares. */
@Injectable()
export class PluginMetrics {
  private readonly made = new Set<string>();

  constructor(
    private readonly set: ModuleSet,
    private readonly registry: MetricsRegistry,
  ) {}

  /**
   * Has Nest give the modules of plugins their own registry, whatever asks for it in them. A class keeps its metadata for
   * all applications of a process, so that each module asks anew whose it is.
   */
  static limitModulesOf({ plugins }: ModuleSet): void {
    for (const type of plugins.flatMap((plugin) => modulesOf(plugin).map(classOf))) {
      if (type === undefined || LIMITED.has(type)) continue;
      LIMITED.add(type);
      const limited: FactoryProvider<MetricsRegistry | undefined> = {
        provide: MetricsRegistry,
        useFactory: (metrics?: PluginMetrics) => metrics?.registryOf(type),
        // A module of a library, such as TypeOrmModule, may be part of an application that knows no plugins, too.
        inject: [{ token: PluginMetrics, optional: true }],
      };
      const providers = (Reflect.getMetadata(MODULE_METADATA.PROVIDERS, type) ?? []) as unknown[];
      Reflect.defineMetadata(MODULE_METADATA.PROVIDERS, [...providers, limited], type);
    }
  }

  /** The service's own where the module is no plugin's. One that several import may make the metrics of all of them. */
  private registryOf(type: Type): MetricsRegistry {
    const owners = this.set.plugins.filter((plugin) =>
      modulesOf(plugin).some((each) => classOf(each) === type),
    );
    const [owner] = owners;
    if (owner === undefined) return this.registry;
    const declared = new Set(owners.flatMap(({ metrics = [] }) => metrics.map(({ name }) => name)));
    return this.registry.limitedTo((name) => {
      const refuse = (problem: string): never => {
        throw new StartRefusal(`Plugin "${owner.name}": the metric "${name}" ${problem}`);
      };
      if (!declared.has(name)) refuse('is not declared; list it in "metrics".');
      if (this.made.has(name)) refuse('is made twice; make it once and share it.');
      this.made.add(name);
    });
  }
}
