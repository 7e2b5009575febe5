import type { Type } from '@nestjs/common';
import { GATEWAY_METADATA, GATEWAY_OPTIONS } from '@nestjs/websockets/internal';
import { getMetadataArgsStorage } from 'typeorm';
import { ID_PREFIXES } from '../../domain/ids.js';
import { SETTINGS } from '../config/config.js';
import { StartRefusal } from '../config/start-refusal.js';
import { ERROR_STATUS } from '../http/errors.js';
import { SCOPES } from '../security/scopes.js';
import type { DeclaredPlugin } from './declaration-check.js';
import { extensionPointOf } from './extension-points.js';
import { classesOf } from './plugin-modules.js';

/** A kind of names that a plugin may claim, each of which only one may have. */
interface NameKind {
  readonly what: string;
  readonly of: (plugin: DeclaredPlugin) => readonly string[];
  /** How the names of this plugin begin; absent where they are free. */
  readonly startOf?: (name: string) => string;
  readonly pattern: RegExp;
  /** What the pattern asks for, as the end of "must be …". */
  readonly expects: string;
  /** Those of the service, as far as they are known before it is put together. */
  readonly taken: readonly string[];
}

const snakeCase = (name: string): string => name.replaceAll('-', '_');

const KINDS: readonly NameKind[] = [
  {
    what: 'scope',
    of: ({ scopes = [] }) => scopes.map(({ name }) => name),
    startOf: (name) => `${name}:`,
    pattern: /^[a-z][a-z0-9-]*:[a-z][a-z0-9-]*$/,
    expects: 'lower-case words on both sides of one colon',
    taken: Object.keys(SCOPES),
  },
  {
    what: 'error code',
    of: ({ errorCodes = [] }) => errorCodes.map(({ code }) => code),
    startOf: (name) => `${snakeCase(name)}_`,
    pattern: /^[a-z][a-z0-9_]*$/,
    expects: 'lower-case words with underscores between',
    taken: Object.keys(ERROR_STATUS),
  },
  {
    what: 'id prefix',
    of: ({ idPrefixes = [] }) => idPrefixes.map(({ prefix }) => prefix),
    pattern: /^[a-z]{3,8}$/,
    expects: 'three to eight lower-case letters',
    taken: ID_PREFIXES,
  },
  {
    what: 'setting',
    of: ({ settings = [] }) => settings.map(({ name }) => name),
    startOf: (name) => `${snakeCase(name).toUpperCase()}_`,
    pattern: /^[A-Z][A-Z0-9_]*$/,
    expects: 'capital letters with underscores between',
    taken: SETTINGS.map(({ name }) => name),
  },
  {
    what: 'webhook event',
    of: ({ webhookEvents = [] }) => webhookEvents.map(({ name }) => name),
    startOf: (name) => `${snakeCase(name)}.`,
    pattern: /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/,
    expects: 'lower-case words on both sides of one dot',
    taken: [],
  },
  {
    what: 'metric',
    of: ({ metrics = [] }) => metrics.map(({ name }) => name),
    startOf: (name) => `${snakeCase(name)}_`,
    pattern: /^[a-z][a-z0-9_]*$/,
    expects: 'lower-case words with underscores between',
    taken: [],
  },
  {
    what: 'namespace',
    of: (plugin) => classesOf(plugin).flatMap(namespaceOf),
    startOf: (name) => `/${name}`,
    pattern: /^\/[a-z][a-z0-9-]*(?:\/[a-z0-9-]+)*$/,
    expects: 'a path of lower-case words',
    taken: [],
  },
  {
    what: 'page of the console',
    of: ({ name, consolePages = [] }) => consolePages.map(({ path }) => `${name}/${path}`),
    startOf: (name) => `${name}/`,
    pattern: /./,
    expects: 'a path',
    taken: [],
  },
  {
    what: 'migration',
    of: ({ migrations = [] }) => migrations.map(({ name }) => name),
    pattern: /^\w+\d{13}$/,
    expects: 'the name of a class that ends with its time in milliseconds, such as CreateNotes1790000000000',
    taken: [],
  },
  {
    what: 'table',
    of: ({ entities = [] }) => entities.flatMap(tableOf),
    pattern: /^[a-z][a-z0-9_]*$/,
    expects: 'lower-case words with underscores between, in @Entity',
    taken: [],
  },
  {
    what: 'extension point',
    of: ({ implementations = [] }) => implementations.map((each) => extensionPointOf(each)?.name ?? ''),
    pattern: /./,
    expects: 'an extension point',
    taken: [],
  },
];

/** Throws a StartRefusal that names both where two claim one name, and where a name breaks the rule of its kind. */
export function requireNames(plugins: readonly DeclaredPlugin[]): void {
  const names = plugins.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new StartRefusal(`Two plugins are named "${twice}"; rename one, or load it once.`);
  for (const kind of KINDS) requireNamesOf(kind, plugins);
}

function requireNamesOf(
  { what, of, startOf, pattern, expects, taken }: NameKind,
  plugins: readonly DeclaredPlugin[],
): void {
  const owners = new Map<string, string>();
  for (const plugin of plugins) {
    const start = startOf?.(plugin.name) ?? '';
    for (const name of of(plugin)) {
      const refuse = (problem: string): never => {
        throw new StartRefusal(`Plugin "${plugin.name}": the ${what} "${name}" ${problem}`);
      };
      if (!name.startsWith(start)) refuse(`must begin with "${start}".`);
      if (!pattern.test(name)) refuse(`must be ${expects}.`);
      if (taken.includes(name)) refuse('is one of the service; choose another name.');
      const owner = owners.get(name);
      if (owner === plugin.name) refuse('is declared twice; keep one.');
      if (owner !== undefined) {
        throw new StartRefusal(
          `Plugins "${owner}" and "${plugin.name}" both have the ${what} "${name}"; change one of them.`,
        );
      }
      owners.set(name, plugin.name);
    }
  }
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
