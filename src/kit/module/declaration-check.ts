import type { Type } from '@nestjs/common';
import { satisfies, validRange } from 'semver';
import { IdPrefix } from '../../domain/ids.js';
import { SharedCache } from '../changes/shared-cache.js';
import { StartRefusal } from '../config/start-refusal.js';
import { ApprovalType } from '../approvals/approval-type.js';
import { Filter } from '../filters/filter.js';
import { FILTER_KINDS } from '../filters/filters.js';
import { fieldProblem } from '../fields/field-declaration.js';
import { ErrorCode } from '../http/error-code.js';
import * as ERROR_CODES from '../http/error-codes.js';
import { JobTask } from '../jobs/job-task.js';
import { Schedule } from '../jobs/schedule.js';
import { Scope } from '../security/scope.js';
import { ConsolePage } from '../server/console/console-page.js';
import { WebhookEventType } from '../webhooks/webhook-event-type.js';
import { WordCatalog } from '../words/word-catalog.js';
import { POINT_LISTS, type PointList, type Points } from './extension-point.js';
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
/** With at least one of the methods. */
const isFilter = ({ prototype }: Type): boolean =>
  prototype instanceof Filter && FILTER_KINDS.some((kind) => kind in prototype);
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
  checks: listOf('classes that extend RiskCheck', isClass),
  feePolicies: listOf('classes that extend FeePolicy', isClass),
  identity: listOf('classes that extend IdentityProvider', isClass),
  filters: listOf(
    `classes that extend Filter, with a method ${FILTER_KINDS.join(', ')}`,
    (item) => isClass(item) && isFilter(item),
  ),
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
  consumers: listOf('classes', isClass),
  schedules: listOf('Schedule', (item) => item instanceof Schedule),
  duties: listOf('classes', isClass),
  caches: listOf(
    'classes that extend SharedCache',
    (item) => isClass(item) && item.prototype instanceof SharedCache,
  ),
  demoData: listOf('classes', isClass),
  metrics: listOf(
    'metrics with a name and a help',
    (item) => isObject(item) && typeof item['name'] === 'string' && typeof item['help'] === 'string',
  ),
  fields: listOf(
    'fields with "on", "name" and "type"',
    (item) => isObject(item) && typeof item['name'] === 'string',
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
  for (const field of declaration.fields ?? []) {
    const problem = fieldProblem(field);
    if (problem !== null) refuse(`has the field "${field.name}", which ${problem}.`);
  }
  for (const page of declaration.consolePages ?? []) {
    const problem = page.problem();
    if (problem !== null) refuse(`has a page "${page.path}" of the console, which ${problem}`);
  }
  return { ...declaration, type, isPlugin: true };
}

/** Throws a StartRefusal for a class that extends nothing that a plugin may implement, or stands in the wrong list. */
export function requirePoints(plugin: DeclaredPlugin, points: Points): void {
  const { name, implementations = [] } = plugin;
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
    if (declared.list !== undefined)
      throw new StartRefusal(
        `Plugin "${name}" has the ${declared.point.name} ${implementation.name} in "implementations"; list it in "${declared.list}".`,
      );
  }
  for (const list of POINT_LISTS) requireListed(plugin, list, points);
}

function requireListed(plugin: DeclaredPlugin, list: PointList, points: Points): void {
  const refuse = (problem: string): never => {
    throw new StartRefusal(`Plugin "${plugin.name}" ${problem}`);
  };
  const classes = plugin[list] ?? [];
  const point = points.in(list)?.point;
  for (const [at, listed] of classes.entries()) {
    if (point === undefined) refuse(`has "${list}", but the group that they are for is not among GROUPS.`);
    if (points.of(listed)?.point !== point)
      refuse(`lists ${listed.name} in "${list}", which extends no ${point!.name}.`);
    if (classes.indexOf(listed) !== at) refuse(`lists ${listed.name} twice in "${list}"; keep one.`);
  }
}

/** Marks the tasks of a plugin as its own. Throws a StartRefusal for one of another plugin, and for a schedule of none. */
export function requireOwnTasks({ name, jobs = [], schedules = [] }: DeclaredPlugin): void {
  for (const { task } of jobs)
    if (!task.belongTo(name))
      throw new StartRefusal(
        `Plugin "${name}": the job "${task.name}" is one of another plugin; make another.`,
      );
  for (const schedule of schedules) {
    const problem = jobs.some(({ task }) => task === schedule.task)
      ? schedule.problem()
      : 'is of a job that is not listed in "jobs"';
    if (problem !== null)
      throw new StartRefusal(`Plugin "${name}": the schedule of "${schedule.task.name}" ${problem}.`);
  }
}
