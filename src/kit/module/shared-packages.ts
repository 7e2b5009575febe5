import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What plugins and the service must have one copy of: their classes are known by identity, not by name. */
export const SHARED_PACKAGES = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/swagger',
  '@nestjs/typeorm',
  '@nestjs/websockets',
  'class-transformer',
  'class-validator',
  'reflect-metadata',
  'rxjs',
  'typeorm',
] as const;

/** Where the service's package lies: the folder above `dist`, and above the sources where these run themselves. */
export const SERVICE_FOLDER = import.meta.dirname.replace(
  /[\\/]dist[\\/](?!.*[\\/]dist[\\/]).*$|[\\/]src[\\/]kit[\\/]module$/,
  '',
);
const OURS = pathToFileURL(join(SERVICE_FOLDER, 'package.json')).href;

const SHARED = new RegExp(`^(?:tradepost|${SHARED_PACKAGES.join('|')})(?:/|$)`);

/**
 * Imports a plugin. What its own files import of the service and of the shared packages is what this process runs, wherever
 * the plugin lies: beside a clone, in an image, or with copies of its own. Packages that it brings keep theirs.
 */
export async function importPlugin(specifier: string): Promise<unknown> {
  let folder: string | undefined;
  module.registerHooks({
    resolve: (name, context, next) => {
      if (folder !== undefined && SHARED.test(name) && isOwnFile(context.parentURL, folder))
        return next(name, { ...context, parentURL: OURS });
      const found = next(name, context);
      if (folder === undefined && name === specifier)
        folder = packageFolderOf(fileURLToPath(found.url)) + sep;
      return found;
    },
  });
  return import(specifier);
}

function isOwnFile(url: string | undefined, folder: string): boolean {
  if (url?.startsWith('file:') !== true) return false;
  const path = fileURLToPath(url);
  return path.startsWith(folder) && !path.slice(folder.length).includes(`node_modules${sep}`);
}

/** The nearest folder with a manifest, as Node looks for it. */
function packageFolderOf(entry: string): string {
  let folder = dirname(entry);
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
