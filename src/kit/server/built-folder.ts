import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where the build puts files to serve: the nearest `dist/NAME` above this file, which is bundled, too. */
export function builtFolder(name: string): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'dist', name)) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'dist', name);
}
