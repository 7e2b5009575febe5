import type { Type } from '@nestjs/common';
import { ApprovalCatalogue } from '../approvals/approval-type.js';
import type { Config } from '../config/config.js';
import type { ReadEnvironment } from '../config/read-environment.js';
import type { Setting } from '../config/setting.js';
import { type SettingContext, singleSettings } from '../config/setting-group.js';
import { Settings } from '../config/settings.js';
import { StartRefusal } from '../config/start-refusal.js';
import type { MigrationClass } from '../database/migrate.js';
import { FieldedTables } from '../fields/fielded-table.js';
import { FieldCatalogue } from '../fields/field-catalogue.js';
import { declaredField, FIELDS_LENGTH_MAX, FIELDS_MAX } from '../fields/field-declaration.js';
import { ErrorCatalogue } from '../http/error-code.js';
import { FIELDED } from '../http/fielded.js';
import * as ERROR_CODES from '../http/error-codes.js';
import type { PurgedRows } from '../jobs/purges.js';
import { ScopeCatalogue } from '../security/scope.js';
import type { PageOfPlugin } from '../server/console/console-page.js';
import type { WordCatalog } from '../words/word-catalog.js';
import { WebhookCatalogue } from '../webhooks/webhook-catalogue.js';
import {
  checkedPlugin,
  type DeclaredModule,
  type DeclaredPlugin,
  requireOwnTasks,
  requirePoints,
} from './declaration-check.js';
import { type ExtensionPoint, type PointList, Points } from './extension-point.js';
import { guardedMigration } from './guarded-migration.js';
import { requireNames, tableOf, takenName } from './module-names.js';
import { requireOwnDoors } from './plugin-doors.js';
import { declarationOf, isOfPlugin } from './tradepost-module.js';

export interface ModuleSetOptions extends SettingContext {
  /** The service's own, with `@TradepostModule`. */
  readonly own: readonly Type[];
  /** Those of them that are started; all where left out. */
  readonly started?: readonly Type[];
  readonly plugins: readonly Type[];
  readonly serviceVersion: string;
  readonly environment: ReadEnvironment;
}

/** All that the modules of one application declare, checked by themselves and against each other. */
export class ModuleSet {
  private constructor(
    private readonly started: readonly Type[],
    /** All of the service: tables, codes and scopes are there whether a group is started or not. */
    private readonly groups: readonly DeclaredModule[],
    readonly plugins: readonly DeclaredPlugin[],
    readonly points: Points,
    readonly settings: Settings,
  ) {}

  /** Throws a StartRefusal for the first plugin that is wrong, does not fit, or has a setting that is wrong. */
  static of({
    own,
    started = own,
    plugins,
    serviceVersion,
    environment,
    isProduction,
  }: ModuleSetOptions): ModuleSet {
    const groups = own.map((type) => ({ ...declarationOf(type)!, type, isPlugin: false }));
    const added = plugins.map((plugin) => checkedPlugin(plugin, serviceVersion));
    const all = [...groups.filter(({ type }) => started.includes(type)), ...added];
    const points = pointsOf(all);
    for (const plugin of added) {
      requirePoints(plugin, points);
      requireOwnDoors(plugin);
      requireOwnTasks(plugin);
    }
    requireNames([...groups, ...added], pointsOf([...groups, ...added]));
    requireRoomForFields(added);
    const declared = all.flatMap(({ settings = [] }) => settings);
    const settings = new Settings(declared, environment, { isProduction });
    return new ModuleSet(started, groups, added, points, settings);
  }

  /** The service's own that are started. */
  get own(): readonly DeclaredModule[] {
    return this.groups.filter(({ type }) => this.started.includes(type));
  }

  /** The service's own that are not. */
  get leftOut(): readonly DeclaredModule[] {
    return this.groups.filter(({ type }) => !this.started.includes(type));
  }

  /** What is started: the service's own first, and the plugins in the order of `PLUGINS`. */
  get all(): readonly DeclaredModule[] {
    return [...this.own, ...this.plugins];
  }

  /** The class that is injected for a point; `undefined` for its default. */
  implementationOf(point: ExtensionPoint): Type | undefined {
    return this.all
      .flatMap(({ implementations = [] }) => implementations)
      .find((implementation) => this.points.of(implementation)?.point === point);
  }

  /** The classes of a list, in the order of `PLUGINS`. */
  listed(list: PointList): readonly Type[] {
    return this.all.flatMap((module) => module[list] ?? []);
  }

  get migrations(): readonly MigrationClass[] {
    return [
      ...this.groups.flatMap(({ migrations = [] }) => migrations),
      ...this.plugins.flatMap(({ name, migrations = [] }) =>
        migrations.map((migration) => guardedMigration(name, migration)),
      ),
    ];
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

  /** All settings of groups, started or not, and plugins. */
  get declaredSettings(): readonly Setting<unknown>[] {
    return singleSettings([...this.groups, ...this.plugins].flatMap(({ settings = [] }) => settings));
  }

  purgesWith(config: Config): readonly PurgedRows[] {
    return this.all
      .flatMap(({ purges = [] }) => purges)
      .flatMap((purged) => (typeof purged === 'function' ? purged(config, this.settings) : [purged]));
  }

  get fields(): FieldCatalogue {
    return new FieldCatalogue(
      this.plugins.flatMap(({ name, fields = [] }) => fields.map((field) => declaredField(name, field))),
    );
  }

  get fieldedTables(): FieldedTables {
    return new FieldedTables(this.groups.flatMap(({ fieldedTables = [] }) => fieldedTables));
  }

  get scopes(): ScopeCatalogue {
    return new ScopeCatalogue([...this.groups, ...this.plugins].flatMap(({ scopes = [] }) => scopes));
  }

  /** The texts of all groups, started or not, and plugins. */
  get words(): readonly WordCatalog[] {
    return [...[...this.groups, ...this.plugins].flatMap(({ words = [] }) => words), this.scopes.words];
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
    const declared = [...this.groups, ...this.plugins].flatMap(({ errorCodes = [] }) => errorCodes);
    return new ErrorCatalogue([...Object.values(ERROR_CODES), ...declared]);
  }

  get webhookEvents(): WebhookCatalogue {
    return new WebhookCatalogue(this.all.flatMap(({ webhookEvents = [] }) => webhookEvents));
  }
}

/** So the fields of one thing are bounded, whatever plugins there are, and so is what a list of things reads. */
function requireRoomForFields(plugins: readonly DeclaredPlugin[]): void {
  const all = plugins.flatMap(({ name, fields = [] }) => fields.map((field) => ({ ...field, plugin: name })));
  for (const thing of FIELDED) {
    let length = 0;
    for (const [index, { plugin, name, type }] of all.filter(({ on }) => on === thing).entries()) {
      length += type.lengthMax;
      if (index < FIELDS_MAX && length <= FIELDS_LENGTH_MAX) continue;
      throw new StartRefusal(
        `Plugin "${plugin}": the field "${name}" is too much: ${thing} have room for ${FIELDS_MAX} fields with ${FIELDS_LENGTH_MAX} characters together.`,
      );
    }
  }
}

function pointsOf(modules: readonly DeclaredModule[]): Points {
  return new Points(modules.flatMap(({ extensionPoints = [] }) => extensionPoints));
}
