import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { inject } from 'vitest';
import { serviceOfSources } from '../../rolldown.config.mjs';
import { oneAtATime } from './database.js';
import { bundleFolderOf } from './server-folder.js';

/** The program of a service that is bundled from the sources as they are, once a run: its absolute path. */
export async function bundleService(): Promise<string> {
  const dir = bundleFolderOf(inject('runFolder'));
  const program = join(dir, 'main.js');
  await oneAtATime(basename(dir), async () => {
    if (existsSync(program)) return;
    const bundle = await rolldown(serviceOfSources);
    await bundle.write({ dir, format: 'esm', keepNames: true });
    await bundle.close();
  });
  return program;
}
