import { Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { MigrationInterface } from 'typeorm';
import type { IdPrefix } from '../../domain/ids.js';
import type { ApprovalHandler } from '../approvals/approval-type.js';
import type { SharedCache } from '../changes/shared-cache.js';
import type { Config } from '../config/config.js';
import type { DeclaredSettings } from '../config/setting-group.js';
import type { Settings } from '../config/settings.js';
import type { Filter } from '../filters/filter.js';
import type { DurableConsumer } from '../consumers/durable-consumer.js';
import type { FieldedTable } from '../fields/fielded-table.js';
import type { FieldDeclaration } from '../fields/field-declaration.js';
import type { ErrorCode } from '../http/error-code.js';
import type { LeaderDuty } from '../jobs/job-leader.js';
import type { JobHandler } from '../jobs/job-task.js';
import type { PurgedRows } from '../jobs/purges.js';
import type { Schedule } from '../jobs/schedule.js';
import type { MetricOptions } from '../metrics/metrics-registry.js';
import type { PersonalErasure, PersonalSection } from '../personal-data/personal-data.js';
import type { Scope } from '../security/scope.js';
import type { ConsolePage } from '../server/console/console-page.js';
import type { WordCatalog } from '../words/word-catalog.js';
import type { AnyEventType } from '../webhooks/webhook-event-type.js';
import { type DeclaredPoint, POINT_LISTS } from './extension-point.js';

/** What a group or a plugin is and adds. Each thing is a constant or a class that is declared once, where it is used. */
export interface ModuleDeclaration extends ModuleMetadata {
  /** Such as `chat` or `acme-loyalty`: of a plugin it begins the names of what it adds. */
  readonly name: string;
  /** Its tables; their repositories can be injected. */
  readonly entities?: readonly Type[];
  readonly migrations?: readonly Type<MigrationInterface>[];
  /** What others may implement: made by `extensionPoint`. */
  readonly extensionPoints?: readonly DeclaredPoint[];
  /** Classes that extend extension points, and take the place of the defaults. */
  readonly implementations?: readonly Type[];
  /** Classes that extend `RiskCheck`: every order passes those of all plugins, in the order of `PLUGINS`. */
  readonly checks?: readonly Type[];
  /** Classes that extend `FeePolicy`: the first that answers rates decides. */
  readonly feePolicies?: readonly Type[];
  /** Classes that extend `IdentityProvider`: the log-in page offers each. */
  readonly identity?: readonly Type[];
  /** Classes that extend `Filter`: they see what people write before it is stored, in the order of `PLUGINS`. */
  readonly filters?: readonly Type<Filter>[];
  readonly scopes?: readonly Scope[];
  readonly errorCodes?: readonly ErrorCode[];
  /** Read at the start; `Settings` has their values. */
  readonly settings?: readonly DeclaredSettings[];
  readonly idPrefixes?: readonly IdPrefix[];
  readonly webhookEvents?: readonly AnyEventType[];
  /** Acts that a second person approves: made by `carriedOutBy` of their type. */
  readonly approvals?: readonly ApprovalHandler[];
  /** Rows with a limited lifetime; where settings decide, a function of them. */
  readonly purges?: readonly (PurgedRows | ((config: Config, settings: Settings) => readonly PurgedRows[]))[];
  /** What it knows of persons: injectable classes with what is exported and what is erased. */
  readonly personalData?: readonly Type<KnowsPersons>[];
  /** Delayed work: made by `handledBy` of its task. */
  readonly jobs?: readonly JobHandler[];
  /** What it does about each trade, transfer or event, exactly once: injectable classes. Of plugins alone. */
  readonly consumers?: readonly Type<DurableConsumer>[];
  /** When jobs of its own are due. */
  readonly schedules?: readonly Schedule[];
  /** Work that goes on in the background of one process at a time: injectable classes with a duty. */
  readonly duties?: readonly Type<HasDuty>[];
  /** Classes that extend `SharedCache`: injectable, and loaded before the service takes requests. */
  readonly caches?: readonly Type<SharedCache<unknown>>[];
  /** What it has to show on a fresh machine: injectable classes. */
  readonly demoData?: readonly Type<HasDemoData>[];
  /** What is kept with things of the service; see `FieldDeclaration`. */
  readonly fields?: readonly FieldDeclaration[];
  /** Where a group keeps such fields. */
  readonly fieldedTables?: readonly FieldedTable[];
  /** Made by `MetricsRegistry`. */
  readonly metrics?: readonly MetricOptions<string>[];
  /** What it says to people, on pages and in mails. */
  readonly words?: readonly WordCatalog[];
  /** Pages of the console, at `/console/plugins/<name>/<path>`. */
  readonly consolePages?: readonly ConsolePage[];
}

/** What a plugin is and adds: a module of others, made for some versions of the service. */
export interface PluginDeclaration extends Omit<ModuleDeclaration, 'fieldedTables'> {
  /** The versions of the service that it works with, as a semver range such as `^0.1.0`. */
  readonly compatibility: string;
}

export interface KnowsPersons {
  readonly sections?: readonly PersonalSection[];
  readonly erasures?: readonly PersonalErasure[];
}

export interface HasDuty {
  /** `undefined` where the settings leave nothing to do. */
  readonly duty: LeaderDuty | undefined;
}

export interface HasDemoData {
  /** Leaves alone what is there already. */
  seedDemo(): Promise<void>;
}

/** Of all plugins that this process has seen: TypeORM keeps one list of entities for all applications. */
const ENTITIES_OF_PLUGINS = new WeakSet<object>();

const DECLARATION = Symbol('declaration of a module');
const PLUGIN = Symbol('whether a module is a plugin');

/** Makes a class a group of the service: a Nest module, and everything that the group is and adds. */
export function TradepostModule(declaration: ModuleDeclaration): ClassDecorator {
  return (target) => {
    Reflect.defineMetadata(DECLARATION, declaration, target);
    Module(moduleOf(declaration))(target);
  };
}

/** Makes a class a plugin: a module like those of the service, which `PLUGINS` or `start({ plugins })` names. */
export function TradepostPlugin(declaration: PluginDeclaration): ClassDecorator {
  return (target) => {
    TradepostModule(declaration)(target);
    Reflect.defineMetadata(PLUGIN, true, target);
    for (const entity of classesIn((declaration as Partial<PluginDeclaration> | undefined)?.entities))
      ENTITIES_OF_PLUGINS.add(entity);
  };
}

/** What the decorator was given, not yet checked; `undefined` for anything that is not decorated. */
export function declarationOf(module: unknown): ModuleDeclaration | undefined {
  if (typeof module !== 'function') return undefined;
  return Reflect.getOwnMetadata(DECLARATION, module) as ModuleDeclaration | undefined;
}

/** The same for a plugin alone. */
export function pluginDeclarationOf(plugin: unknown): PluginDeclaration | undefined {
  if (typeof plugin !== 'function' || Reflect.getOwnMetadata(PLUGIN, plugin) !== true) return undefined;
  return declarationOf(plugin) as PluginDeclaration | undefined;
}

/** What is no list is left out: the check at the start refuses it, in better words than Nest would have. */
function moduleOf(declaration: ModuleDeclaration): ModuleMetadata {
  const { imports, controllers, providers, exports, entities, ...lists } =
    (declaration as Partial<ModuleDeclaration> | undefined) ?? {};
  const bound = [...listOf(lists.implementations), ...POINT_LISTS.flatMap((list) => listOf(lists[list]))];
  const tables = classesIn(entities);
  const own = listOf(providers);
  const listed = [
    ...bound,
    ...listOf(lists.personalData),
    ...listOf(lists.duties),
    ...listOf(lists.caches),
    ...listOf(lists.filters),
    ...listOf(lists.consumers),
    ...listOf(lists.demoData),
  ].filter((each, place, all) => !own.includes(each) && all.indexOf(each) === place);
  return {
    imports: [...listOf(imports), ...(tables.length > 0 ? [TypeOrmModule.forFeature([...tables])] : [])],
    controllers: [...listOf(controllers)],
    providers: [...own, ...listed],
    exports: [...listOf(exports), ...bound],
  };
}

/** Whether an entity is a plugin's, loaded or not. */
export function isOfPlugin(entity: unknown): boolean {
  return typeof entity === 'function' && ENTITIES_OF_PLUGINS.has(entity);
}

function classesIn(value: readonly Type[] | undefined): readonly Type[] {
  return listOf(value).filter((each) => typeof each === 'function');
}

function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}
