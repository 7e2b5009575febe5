import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, type ModulesContainer } from '@nestjs/core';
import { StartRefusal } from '../config/start-refusal.js';
import type { DeclaredPlugin } from './declaration-check.js';
import { classOf, modulesOf, providersOf } from './module-classes.js';

/** By their tokens: what Nest would have work on every route and socket. */
const GLOBAL_DOORS: ReadonlyMap<unknown, string> = new Map([
  [APP_GUARD, 'guard'],
  [APP_PIPE, 'pipe'],
  [APP_INTERCEPTOR, 'interceptor'],
  [APP_FILTER, 'exception filter'],
]);

/** Throws a StartRefusal for what would work on routes of others, in the plugin's modules and those that they import. */
export function requireOwnDoors(plugin: DeclaredPlugin): void {
  for (const module of modulesOf(plugin)) {
    const name = classOf(module)?.name ?? '';
    for (const provider of providersOf(module)) {
      const door = typeof provider === 'function' ? undefined : GLOBAL_DOORS.get(provider.provide);
      if (door === undefined) continue;
      const decorator = `@Use${door === 'exception filter' ? 'Filters' : `${door[0]!.toUpperCase()}${door.slice(1)}s`}`;
      throw new StartRefusal(
        `Plugin "${plugin.name}": ${name} provides a global ${door}, which would work on the routes of all; put ${decorator} on controllers of its own.`,
      );
    }
    if (typeof (classOf(module)?.prototype as { configure?: unknown } | undefined)?.configure === 'function')
      throw new StartRefusal(
        `Plugin "${plugin.name}": ${name} configures middleware, which would work on the routes of all; put @UseGuards or @UseInterceptors on controllers of its own.`,
      );
  }
}

/**
 * Throws a StartRefusal for a global module of a plugin that exports what the service provides: it would be injected into
 * the service.
 */
export function requireOwnTokens(plugins: readonly DeclaredPlugin[], modules: ModulesContainer): void {
  const owners = new Map(
    plugins.flatMap((plugin) => modulesOf(plugin).map((module) => [classOf(module), plugin.name] as const)),
  );
  const all = [...modules.values()];
  const ofService = new Set(
    all.filter(({ metatype }) => !owners.has(metatype)).flatMap(({ providers }) => [...providers.keys()]),
  );
  for (const { metatype, isGlobal, exports } of all) {
    const owner = owners.get(metatype);
    const taken =
      owner !== undefined && isGlobal ? [...exports].find((token) => ofService.has(token)) : undefined;
    if (taken === undefined) continue;
    const token = typeof taken === 'function' ? taken.name : String(taken);
    throw new StartRefusal(
      `Plugin "${owner}": the global module ${metatype.name} exports ${token}, which is of the service; take @Global from it.`,
    );
  }
}
