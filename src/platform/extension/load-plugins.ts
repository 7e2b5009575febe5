import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StartRefusal } from '../config/start-refusal.js';
import type { Plugin } from './plugin.js';

/**
 * Loads the plugins of `PLUGINS`: a package by its name, a file by its path, a relative one from the working directory.
 * Throws a StartRefusal that names the first that is missing, fails, or is no plugin.
 */
export async function loadPlugins(names: readonly string[]): Promise<Plugin[]> {
  const plugins: Plugin[] = [];
  for (const name of names) plugins.push(await loadPlugin(name));
  return plugins;
}

async function loadPlugin(name: string): Promise<Plugin> {
  const loaded: unknown = await import(locationOf(name)).catch((error: unknown) => {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new StartRefusal(`PLUGINS: ${name} cannot be loaded: ${message.split('\n')[0]}.`, { cause: error });
  });
  const plugin = (loaded as { readonly default?: unknown }).default;
  if (!isPlugin(plugin)) {
    throw new StartRefusal(
      `PLUGINS: the default export of ${name} is no plugin; it needs a name, a compatibility and a module.`,
    );
  }
  return plugin;
}

function locationOf(name: string): string {
  return name.startsWith('.') || isAbsolute(name) ? pathToFileURL(resolve(name)).href : name;
}

function isPlugin(value: unknown): value is Plugin {
  if (typeof value !== 'object' || value === null) return false;
  const { name, compatibility, module } = value as Partial<Record<keyof Plugin, unknown>>;
  const isModule = typeof module === 'function' || (typeof module === 'object' && module !== null);
  return typeof name === 'string' && typeof compatibility === 'string' && isModule;
}
