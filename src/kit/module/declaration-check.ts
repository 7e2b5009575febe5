import type { Type } from '@nestjs/common';
import { satisfies, validRange } from 'semver';
import { IdPrefix } from '../../domain/ids.js';
import { StartRefusal } from '../config/start-refusal.js';
import { ApprovalType } from '../approvals/approval-type.js';
import { ErrorCode } from '../http/error-code.js';
import * as ERROR_CODES from '../http/error-codes.js';
import { JobTask } from '../jobs/job-task.js';
import { Scope } from '../security/scope.js';
import { ConsolePage } from '../server/console/console-page.js';
import { WebhookEventType } from '../webhooks/webhook-event-type.js';
import { WordCatalog } from '../words/word-catalog.js';
import type { Points } from './extension-point.js';
import { isPluginName, PLUGIN_NAME_RULE } from './plugin-name.js';
import { type ModuleDeclaration, pluginDeclarationOf, type PluginDeclaration } from './tradepost-module.js';

/** A group of the service, or a plugin whose declaration has the right form. */
export interface DeclaredModule extends ModuleDeclaration {
  readonly type: Type;
  readonly isPlugin: boolean;
}

export type DeclaredPlugin = DeclaredModule & PluginDeclaration;

interface Field {
  readonly expects: string;
  readonly isRight: (value: unknown) => boolean;
}

const isClass = (value: unknown): value is Type => typeof value === 'function';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function listOf(what: string, isRight: (item: unknown) => boolean): Field {
  return { expects: `a list of ${what}`, isRight: (value) => Array.isArray(value) && value.every(isRight) };
}

/** Nest checks what is in its own lists. */
const MODULE_LIST = listOf('what a Nest module takes', (item) => isClass(item) || isObject(item));

const FIELDS: Readonly<Record<keyof PluginDeclaration, Field>> = {
  name: {
    expects: PLUGIN_NAME_RULE,
    isRight: isPluginName,
  },
  compatibility: {
    expects: 'a semver range such as ^0.1.0',
    isRight: (value) => typeof value === 'string' && validRange(value) !== null,
  },
  imports: MODULE_LIST,
  controllers: listOf('classes', isClass),
  providers: MODULE_LIST,
  exports: listOf('what a Nest module takes', (item) => item != null),
  entities: listOf('classes with @Entity', isClass),
  migrations: listOf('classes of migrations', isClass),
  extensionPoints: listOf('what extensionPoint() makes', (item) => isObject(item) && isClass(item['point'])),
  implementations: listOf('classes that extend extension points', isClass),
  scopes: listOf('Scope', (item) => item instanceof Scope),
  errorCodes: listOf('ErrorCode', (item) => item instanceof ErrorCode),
  idPrefixes: listOf('IdPrefix', (item) => item instanceof IdPrefix),
  settings: listOf(
    'settings made by setting(), optional() or settingGroup()',
    (item) =>
      isObject(item) &&
      (isClass(item['readAll']) || (typeof item['name'] === 'string' && isClass(item['read']))),
  ),
  webhookEvents: listOf('WebhookEventType', (item) => item instanceof WebhookEventType),
  approvals: listOf(
    'what carriedOutBy() of an ApprovalType makes',
    (item) => isObject(item) && item['type'] instanceof ApprovalType,
  ),
  purges: listOf('rows that are purged, or functions', (item) => isObject(item) || isClass(item)),
  personalData: listOf('classes', isClass),
  jobs: listOf(
    'what handledBy() of a JobTask makes',
    (item) => isObject(item) && item['task'] instanceof JobTask,
  ),
  duties: listOf('classes', isClass),
  demoData: listOf('classes', isClass),
  metrics: listOf(
    'metrics with a name and a help',
    (item) => isObject(item) && typeof item['name'] === 'string' && typeof item['help'] === 'string',
  ),
  words: listOf('WordCatalog', (item) => item instanceof WordCatalog),
  consolePages: listOf('ConsolePage', (item) => item instanceof ConsolePage),
};

/**
 * Checks the form of each declaration by itself. Throws a StartRefusal that names the plugin and the first thing that is
 * wrong with it.
 */
export function checkedPlugin(plugin: unknown, serviceVersion: string): DeclaredPlugin {
  const declaration = pluginDeclarationOf(plugin);
  const type = plugin as Type;
  if (declaration === undefined) {
    throw new StartRefusal(
      `${isClass(plugin) ? plugin.name : String(plugin)} is no plugin: a plugin is a class with @TradepostPlugin.`,
    );
  }
  if (!isObject(declaration)) throw new StartRefusal(`@TradepostPlugin of ${type.name} needs an object.`);
  if (!FIELDS.name.isRight(declaration.name)) {
    throw new StartRefusal(`The plugin ${type.name} needs a "name": ${FIELDS.name.expects}.`);
  }
  const refuse = (problem: string): never => {
    throw new StartRefusal(`Plugin "${declaration.name}" ${problem}`);
  };
  for (const [field, value] of Object.entries(declaration)) {
    if (!Object.hasOwn(FIELDS, field)) {
      refuse(`has an unknown field "${field}"; there are ${Object.keys(FIELDS).join(', ')}.`);
    }
    const { expects, isRight } = FIELDS[field as keyof PluginDeclaration];
    if (value !== undefined && !isRight(value)) refuse(`needs "${field}" to be ${expects}.`);
  }
  const { compatibility, entities = [], migrations = [] } = declaration;
  if ((compatibility as string | undefined) === undefined) {
    refuse(`needs a "compatibility": ${FIELDS.compatibility.expects}.`);
  }
  if (!satisfies(serviceVersion, compatibility)) {
    refuse(`is made for version ${compatibility}, but this is ${serviceVersion}.`);
  }
  if (entities.length > 0 && migrations.length === 0) {
    refuse(
      `has the entity ${entities[0]!.name} but no migration that makes its table; list one in "migrations".`,
    );
  }
  const statuses = new Set(Object.values(ERROR_CODES).map(({ status }) => status));
  for (const { code, status } of declaration.errorCodes ?? []) {
    if (!statuses.has(status)) {
      refuse(
        `gives the error code "${code}" the status ${status}; choose one that the service answers with, such as 409 or 422.`,
      );
    }
  }
  for (const page of declaration.consolePages ?? []) {
    const problem = page.problem();
    if (problem !== null) refuse(`has a page "${page.path}" of the console, which ${problem}`);
  }
  return { ...declaration, type, isPlugin: true };
}

/** Throws a StartRefusal for an implementation that extends nothing that a plugin may implement. */
export function requirePoints({ name, implementations = [] }: DeclaredPlugin, points: Points): void {
  for (const implementation of implementations) {
    const declared = points.of(implementation);
    if (declared === undefined)
      throw new StartRefusal(
        `Plugin "${name}" implements ${implementation.name}, which extends no extension point; there are ${points.names.join(', ')}.`,
      );
    if (declared.isPort)
      throw new StartRefusal(
        `Plugin "${name}" implements ${declared.point.name}, which a part of the service does; there are ${points.names.join(', ')}.`,
      );
  }
}
