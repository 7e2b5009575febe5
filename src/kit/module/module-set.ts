import type { Type } from '@nestjs/common';
import type { Config, Environment } from '../config/config.js';
import { ApprovalCatalogue } from '../approvals/approval-type.js';
import { PluginSettings } from '../config/plugin-settings.js';
import type { MigrationClass } from '../database/migrate.js';
import { ErrorCatalogue } from '../http/plugin-error-code.js';
import type { PurgedRows } from '../jobs/purges.js';
import { ScopeCatalogue } from '../security/scope.js';
import type { PageOfPlugin } from '../server/console/console-page.js';
import { WebhookCatalogue } from '../webhooks/webhook-catalogue.js';
import {
  checkedPlugin,
  type DeclaredModule,
  type DeclaredPlugin,
  requirePoints,
} from './declaration-check.js';
import { type ExtensionPoint, Points } from './extension-point.js';
import { requireNames, tableOf, takenName } from './module-names.js';
import { declarationOf, isOfPlugin } from './tradepost-module.js';

export interface ModuleSetOptions {
  /** The service's own, with `@TradepostModule`. */
  readonly own: readonly Type[];
  readonly plugins: readonly Type[];
  readonly serviceVersion: string;
  readonly environment?: Environment;
}

/** All that the modules of one application declare, checked by themselves and against each other. */
export class ModuleSet {
  private constructor(
    readonly own: readonly DeclaredModule[],
    readonly plugins: readonly DeclaredPlugin[],
    readonly points: Points,
    readonly settings: PluginSettings,
  ) {}

  /** Throws a StartRefusal for the first plugin that is wrong, does not fit, or has a setting that is wrong. */
  static of({ own, plugins, serviceVersion, environment }: ModuleSetOptions): ModuleSet {
    const declared = own.map((type) => ({ ...declarationOf(type)!, type, isPlugin: false }));
    const added = plugins.map((plugin) => checkedPlugin(plugin, serviceVersion));
    const all = [...declared, ...added];
    const points = new Points(all.flatMap(({ extensionPoints = [] }) => extensionPoints));
    for (const plugin of added) requirePoints(plugin, points);
    requireNames(all, points);
    const settings = all.flatMap((module) => module.settings ?? []);
    return new ModuleSet(declared, added, points, new PluginSettings(settings, environment));
  }

  /** The service's own first, and the plugins in the order of `PLUGINS`. */
  get all(): readonly DeclaredModule[] {
    return [...this.own, ...this.plugins];
  }

  /** The class that is injected for a point; `undefined` for its default. */
  implementationOf(point: ExtensionPoint): Type | undefined {
    return this.all
      .flatMap(({ implementations = [] }) => implementations)
      .find((implementation) => this.points.of(implementation)?.point === point);
  }

  /** All migrations together. Throws a StartRefusal for a plugin's that has the name of one of the service. */
  migrationsWith(own: readonly MigrationClass[]): readonly MigrationClass[] {
    const ofService = [...own, ...this.own.flatMap(({ migrations = [] }) => migrations)];
    const names = new Set(ofService.map(({ name }) => name));
    for (const { name: plugin, migrations = [] } of this.plugins) {
      const taken = migrations.find(({ name }) => names.has(name));
      if (taken !== undefined) throw takenName(plugin, `migration "${taken.name}"`);
    }
    return [...ofService, ...this.plugins.flatMap(({ migrations = [] }) => migrations)];
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

  purgesWith(config: Config): readonly PurgedRows[] {
    return this.all
      .flatMap(({ purges = [] }) => purges)
      .flatMap((purged) => (typeof purged === 'function' ? purged(config) : [purged]));
  }

  get scopes(): ScopeCatalogue {
    return new ScopeCatalogue(this.all.flatMap(({ scopes = [] }) => scopes));
  }

  get approvals(): ApprovalCatalogue {
    return new ApprovalCatalogue(this.all.flatMap(({ approvals = [] }) => approvals));
  }

  get consolePages(): readonly PageOfPlugin[] {
    return this.plugins.flatMap(({ name, consolePages = [] }) =>
      consolePages.map((page) => ({ plugin: name, page })),
    );
  }

  get errorCodes(): ErrorCatalogue {
    return new ErrorCatalogue(this.all.flatMap(({ errorCodes = [] }) => errorCodes));
  }

  get webhookEvents(): WebhookCatalogue {
    return new WebhookCatalogue(this.all.flatMap(({ webhookEvents = [] }) => webhookEvents));
  }
}
