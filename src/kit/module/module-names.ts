import type { Type } from '@nestjs/common';
import { GATEWAY_METADATA, GATEWAY_OPTIONS } from '@nestjs/websockets/internal';
import { getMetadataArgsStorage } from 'typeorm';
import { SETTINGS } from '../config/config.js';
import { singleSettings } from '../config/setting-group.js';
import { StartRefusal } from '../config/start-refusal.js';
import * as ERROR_CODES from '../http/error-codes.js';
import type { DeclaredModule } from './declaration-check.js';
import type { Points } from './extension-point.js';
import { classesOf } from './module-classes.js';

/** A kind of names that a module may claim, each of which only one may have. */
interface NameKind {
  readonly what: string;
  readonly of: (module: DeclaredModule, points: Points) => readonly string[];
  /** How the names of a plugin begin; absent where they are free. */
  readonly startOf?: (name: string) => string;
  /** Names of plugins. */
  readonly pattern: RegExp;
  /** What the pattern asks for, as the end of "must be …". */
  readonly expects: string;
  /** Those of the service that no module declares. */
  readonly taken?: readonly string[];
  /** What is wrong where one module declares a name twice. */
  readonly twice?: string;
}

const snakeCase = (name: string): string => name.replaceAll('-', '_');

const KINDS: readonly NameKind[] = [
  {
    what: 'scope',
    of: ({ scopes = [] }) => scopes.map(({ name }) => name),
    startOf: (name) => `${name}:`,
    pattern: /^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*$/,
    expects: 'lower-case words on both sides of one colon',
  },
  {
    what: 'error code',
    of: ({ errorCodes = [] }) => errorCodes.map(({ code }) => code),
    startOf: (name) => `${snakeCase(name)}_`,
    pattern: /^[a-z][a-z0-9_]*$/,
    expects: 'lower-case words with underscores between',
    taken: Object.values(ERROR_CODES).map(({ code }) => code),
  },
  {
    what: 'id prefix',
    of: ({ idPrefixes = [] }) => idPrefixes.map(({ prefix }) => prefix),
    pattern: /^[a-z]{3,8}$/,
    expects: 'three to eight lower-case letters',
  },
  {
    what: 'name of words',
    of: ({ words = [] }) => words.map(({ name }) => name),
    startOf: (name) => name,
    pattern: /^[a-z][a-z0-9-]*$/,
    expects: 'lower-case words with hyphens between',
    taken: ['console', 'scopes'],
  },
  {
    what: 'setting',
    of: ({ settings = [] }) => singleSettings(settings).map(({ name }) => name),
    startOf: (name) => `${snakeCase(name).toUpperCase()}_`,
    pattern: /^[A-Z][A-Z0-9_]*(?:<NAME>[A-Z0-9_]+)?$/,
    expects: 'capital letters with underscores between',
    taken: SETTINGS.map(({ name }) => name),
  },
  {
    what: 'webhook event',
    of: ({ webhookEvents = [] }) => webhookEvents.map(({ name }) => name),
    startOf: (name) => `${snakeCase(name)}.`,
    pattern: /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/,
    expects: 'lower-case words on both sides of one dot',
  },
  {
    what: 'approval kind',
    of: ({ approvals = [] }) => approvals.map(({ type }) => type.name),
    startOf: (name) => `${snakeCase(name)}_`,
    pattern: /^[a-z][a-z0-9_]*$/,
    expects: 'lower-case words with underscores between',
  },
  {
    what: 'metric',
    of: ({ metrics = [] }) => metrics.map(({ name }) => name),
    startOf: (name) => `${snakeCase(name)}_`,
    pattern: /^[a-z][a-z0-9_]*$/,
    expects: 'lower-case words with underscores between',
  },
  {
    what: 'field',
    of: ({ fields = [] }) => fields.map(({ on, name }) => `${name} on ${on}`),
    startOf: (name) => `${snakeCase(name)}_`,
    pattern: /^[a-z][a-z0-9_]{1,62} on [a-z]+$/,
    expects: 'lower-case words with underscores between, of at most 63 characters',
  },
  {
    what: 'job',
    of: ({ jobs = [] }) => jobs.map(({ task }) => task.storedName),
    pattern: /./,
    expects: 'a name',
    twice: 'has two handlers',
  },
  {
    what: 'schedule of',
    of: ({ schedules = [] }) => schedules.map(({ task }) => task.storedName),
    pattern: /./,
    expects: 'a name',
  },
  {
    what: 'namespace',
    // Several gateways of one module may serve one.
    of: (module) => [...new Set(classesOf(module).flatMap(namespaceOf))],
    startOf: (name) => `/${name}`,
    pattern: /^\/[a-z][a-z0-9-]*(?:\/[a-z0-9-]+)*$/,
    expects: 'a path of lower-case words',
  },
  {
    what: 'page of the console',
    of: ({ name, consolePages = [] }) => consolePages.map(({ path }) => `${name}/${path}`),
    startOf: (name) => `${name}/`,
    pattern: /./,
    expects: 'a path',
  },
  {
    what: 'migration',
    of: ({ migrations = [] }) => migrations.map(({ name }) => name),
    pattern: /^\w+\d{13}$/,
    expects: 'the name of a class that ends with its time in milliseconds, such as CreateNotes1790000000000',
  },
  {
    what: 'table',
    of: ({ entities = [] }) => entities.flatMap(tableOf),
    pattern: /^[a-z][a-z0-9_]*$/,
    expects: 'lower-case words with underscores between, in @Entity',
  },
  {
    what: 'extension point',
    of: ({ implementations = [] }, points) =>
      implementations.map((each) => points.of(each)?.point.name ?? ''),
    pattern: /./,
    expects: 'an extension point',
  },
];

/** Throws a StartRefusal that names both where two claim one name, and where a name breaks the rule of its kind. */
export function requireNames(modules: readonly DeclaredModule[], points: Points): void {
  const names = modules.map(({ name }) => name);
  const twice = modules.find(({ name }, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    const isTaken = modules.some(({ name, isPlugin }) => name === twice.name && !isPlugin);
    throw new StartRefusal(
      isTaken
        ? `A plugin is named "${twice.name}", as a part of the service is; rename it.`
        : `Two plugins are named "${twice.name}"; rename one, or load it once.`,
    );
  }
  for (const kind of KINDS) requireNamesOf(kind, modules, points);
}

function requireNamesOf(
  { what, of, startOf, pattern, expects, taken = [], twice = 'is declared twice' }: NameKind,
  modules: readonly DeclaredModule[],
  points: Points,
): void {
  const owners = new Map<string, DeclaredModule>();
  for (const module of modules) {
    const start = module.isPlugin ? (startOf?.(module.name) ?? '') : '';
    for (const name of of(module, points)) {
      const refuse = (problem: string): never => {
        throw new StartRefusal(`${titleOf(module)}: the ${what} "${name}" ${problem}`);
      };
      const owner = owners.get(name);
      if (!name.startsWith(start)) refuse(`must begin with "${start}".`);
      if (module.isPlugin && !pattern.test(name)) refuse(`must be ${expects}.`);
      if (taken.includes(name) || (module.isPlugin && owner?.isPlugin === false))
        refuse('is one of the service; choose another name.');
      if (owner === module) refuse(`${twice}; keep one.`);
      if (owner !== undefined) {
        throw new StartRefusal(
          `${module.isPlugin ? 'Plugins' : 'The parts'} "${owner.name}" and "${module.name}" both have the ${what} "${name}"; change one of them.`,
        );
      }
      owners.set(name, module);
    }
  }
}

export function titleOf({ name, isPlugin }: DeclaredModule): string {
  return isPlugin ? `Plugin "${name}"` : `The service's "${name}"`;
}

export function takenName(plugin: string, what: string): StartRefusal {
  return new StartRefusal(`Plugin "${plugin}": the ${what} is one of the service; choose another name.`);
}

/** The namespace of a gateway; empty text for one that names none, which no rule allows. */
export function namespaceOf(type: Type): string[] {
  if (Reflect.getMetadata(GATEWAY_METADATA, type) !== true) return [];
  const { namespace = '' } = (Reflect.getMetadata(GATEWAY_OPTIONS, type) ?? {}) as { namespace?: string };
  return [namespace];
}

export function tableOf(entity: Type): string[] {
  const table = getMetadataArgsStorage().tables.find(({ target }) => target === entity);
  return [table?.name ?? ''];
}
