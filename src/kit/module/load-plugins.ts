import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Type } from '@nestjs/common';
import { StartRefusal } from '../config/start-refusal.js';
import { importPlugin, SERVICE_FOLDER } from './shared-packages.js';
import { pluginDeclarationOf } from './tradepost-module.js';

/**
 * Loads the plugins of `PLUGINS`: a package by its name, a file or a package's folder by its path, a relative one from
 * the working directory. Throws a StartRefusal that names the first that is missing, fails, or is no plugin.
 */
export async function loadPlugins(names: readonly string[]): Promise<Type[]> {
  const plugins: Type[] = [];
  for (const name of names) plugins.push(await loadPlugin(name));
  return plugins;
}

async function loadPlugin(name: string): Promise<Type> {
  const loaded = await load(name).catch((error: unknown) => {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new StartRefusal(`PLUGINS: ${name} cannot be loaded: ${message.split('\n')[0]}.`, { cause: error });
  });
  const plugin = (loaded as { readonly default?: unknown }).default;
  if (pluginDeclarationOf(plugin) === undefined) {
    throw new StartRefusal(
      `PLUGINS: the default export of ${name} is no plugin: it must be a class with @TradepostPlugin of the package that runs, ${SERVICE_FOLDER}.`,
    );
  }
  return plugin as Type;
}

async function load(name: string): Promise<unknown> {
  const isPath = name.startsWith('.') || isAbsolute(name);
  return importPlugin(isPath ? pathToFileURL(fileOf(resolve(name))).href : name);
}

/** The file of a path; of a folder its package's `main`. */
function fileOf(path: string): string {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return path;
  return createRequire(import.meta.url).resolve(path);
}
