import { Module, type ModuleMetadata, type Type } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { MigrationInterface } from 'typeorm';
import type { PluginIdPrefix } from '../../domain/plugin-id-prefix.js';
import type { Setting } from '../config/setting.js';
import type { PluginErrorCode } from '../http/plugin-error-code.js';
import type { MetricOptions } from '../metrics/metrics-registry.js';
import type { PluginScope } from '../security/plugin-scope.js';
import type { ConsolePage } from '../server/console/console-page.js';
import { type AnyEventType, webhookEventTypes } from '../webhooks/webhook-catalogue.js';

/** What a plugin is and adds. Everything is named once, here or where its constant is declared. */
export interface PluginDeclaration extends ModuleMetadata {
  /** Such as `acme-loyalty`: begins the names of what it adds. */
  readonly name: string;
  /** The versions of the service that it works with, as a semver range such as `^0.1.0`. */
  readonly compatibility: string;
  /** Its tables; their repositories can be injected. */
  readonly entities?: readonly Type[];
  readonly migrations?: readonly Type<MigrationInterface>[];
  /** Classes that extend extension points, and take the place of the defaults. */
  readonly implementations?: readonly Type[];
  readonly scopes?: readonly PluginScope[];
  readonly errorCodes?: readonly PluginErrorCode[];
  readonly idPrefixes?: readonly PluginIdPrefix[];
  /** Read at the start; `PluginSettings` has their values. */
  readonly settings?: readonly Setting<unknown>[];
  readonly webhookEvents?: readonly AnyEventType[];
  /** Made by `MetricsRegistry`. */
  readonly metrics?: readonly MetricOptions<string>[];
  /** Pages of the console, at `/console/plugins/<name>/<path>`. */
  readonly consolePages?: readonly ConsolePage[];
}

/** Of all plugins that this process has seen: TypeORM keeps one list of entities for all applications. */
const ENTITIES = new WeakSet<object>();

const DECLARATION = Symbol('declaration of a plugin');

/** Makes a class a plugin: a Nest module that `PLUGINS` or `start({ plugins })` names, and what it adds. */
export function TradepostPlugin(declaration: PluginDeclaration): ClassDecorator {
  return (target) => {
    Reflect.defineMetadata(DECLARATION, declaration, target);
    for (const entity of classesIn((declaration as Partial<PluginDeclaration> | undefined)?.entities))
      ENTITIES.add(entity);
    Module(moduleOf(declaration))(target);
  };
}

/** What the decorator was given, not yet checked; `undefined` for anything that is not decorated. */
export function declarationOf(plugin: unknown): PluginDeclaration | undefined {
  if (typeof plugin !== 'function') return undefined;
  return Reflect.getOwnMetadata(DECLARATION, plugin) as PluginDeclaration | undefined;
}

/** What is no list is left out: the check at the start refuses it, in better words than Nest would have. */
function moduleOf(declaration: PluginDeclaration): ModuleMetadata {
  const { imports, controllers, providers, exports, entities, implementations, webhookEvents } =
    (declaration as Partial<PluginDeclaration> | undefined) ?? {};
  const tables = classesIn(entities);
  const bound = listOf(implementations).filter(
    (implementation) => !listOf(providers).includes(implementation),
  );
  return {
    imports: [...listOf(imports), ...(tables.length > 0 ? [TypeOrmModule.forFeature([...tables])] : [])],
    controllers: [...listOf(controllers)],
    providers: [...listOf(providers), ...bound, webhookEventTypes(...listOf(webhookEvents))],
    exports: [...listOf(exports), ...listOf(implementations)],
  };
}

/** Whether an entity is a plugin's, loaded or not. */
export function isOfPlugin(entity: unknown): boolean {
  return typeof entity === 'function' && ENTITIES.has(entity);
}

function classesIn(value: readonly Type[] | undefined): readonly Type[] {
  return listOf(value).filter((each) => typeof each === 'function');
}

function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? (value as readonly T[]) : [];
}
