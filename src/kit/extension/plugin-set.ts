import type { Type } from '@nestjs/common';
import type { Environment } from '../config/config.js';
import type { MigrationClass } from '../database/migrate.js';
import { PluginSettings } from '../config/plugin-settings.js';
import { ErrorCatalogue } from '../http/plugin-error-code.js';
import { ScopeCatalogue } from '../security/plugin-scope.js';
import type { PageOfPlugin } from '../server/console/console-page.js';
import { checkedPlugin, type DeclaredPlugin } from './declaration-check.js';
import { extensionPointOf, type ExtensionPoint } from './extension-points.js';
import { isOfPlugin } from './plugin.js';
import { requireNames, tableOf, takenName } from './plugin-names.js';

/** The plugins of one application, checked by themselves and against each other. */
export class PluginSet {
  private constructor(
    readonly plugins: readonly DeclaredPlugin[],
    readonly settings: PluginSettings,
  ) {}

  /** Throws a StartRefusal for the first plugin that is wrong, does not fit, or has a setting that is wrong. */
  static of(plugins: readonly Type[], serviceVersion: string, environment?: Environment): PluginSet {
    const declared = plugins.map((plugin) => checkedPlugin(plugin, serviceVersion));
    requireNames(declared);
    const settings = declared.flatMap((plugin) => plugin.settings ?? []);
    return new PluginSet(declared, new PluginSettings(settings, environment));
  }

  /** The class that takes the place of a default. */
  implementationOf(point: ExtensionPoint): Type | undefined {
    return this.plugins
      .flatMap(({ implementations = [] }) => implementations)
      .find((implementation) => extensionPointOf(implementation) === point);
  }

  /** All migrations together. Throws a StartRefusal for a plugin's that has the name of one of the service. */
  migrationsWith(own: readonly MigrationClass[]): readonly MigrationClass[] {
    const names = new Set(own.map(({ name }) => name));
    for (const { name: plugin, migrations = [] } of this.plugins) {
      const taken = migrations.find(({ name }) => names.has(name));
      if (taken !== undefined) throw takenName(plugin, `migration "${taken.name}"`);
    }
    return [...own, ...this.plugins.flatMap(({ migrations = [] }) => migrations)];
  }

  /** Throws a StartRefusal for a plugin's table that has the name of one of the service. */
  requireOwnTables(entities: readonly unknown[]): void {
    const own = new Set(
      entities.filter((entity) => !isOfPlugin(entity)).flatMap((entity) => tableOf(entity as Type)),
    );
    for (const { name: plugin, entities: added = [] } of this.plugins) {
      const taken = added.flatMap(tableOf).find((table) => own.has(table));
      if (taken !== undefined) throw takenName(plugin, `table "${taken}"`);
    }
  }

  get scopes(): ScopeCatalogue {
    return new ScopeCatalogue(this.plugins.flatMap(({ scopes = [] }) => scopes));
  }

  get consolePages(): readonly PageOfPlugin[] {
    return this.plugins.flatMap(({ name, consolePages = [] }) =>
      consolePages.map((page) => ({ plugin: name, page })),
    );
  }

  get errorCodes(): ErrorCatalogue {
    return new ErrorCatalogue(this.plugins.flatMap(({ errorCodes = [] }) => errorCodes));
  }
}
