#!/usr/bin/env node
// First: whatever both ways share in the bundle has decorators.
import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Start from './start.js';

/** The same in the bundle and beside it. */
const UNBUNDLED = new URL('../src/start.js', import.meta.url).href;
const MANIFEST = new URL('../../package.json', import.meta.url);
const TEMPLATES = fileURLToPath(new URL('../../templates/', import.meta.url));

// Both before the rest is loaded: stack traces then name the lines of src/*.ts, and V8's compile cache serves the next
// start.
process.setSourceMapsEnabled(true);
enableCompileCache();
const commandLine = process.argv.slice(2);
if (commandLine.length === 0) await startService();
else await (await import('./commands/run-command.js')).runCommand(commandLine, TEMPLATES);

// Plugins import the service's modules, of which the bundle has copies of its own. Settings are read in there.
async function startService(): Promise<void> {
  // eslint-disable-next-line no-restricted-properties
  const { start } = process.env['PLUGINS'] ? await loadShared() : await import('./start.js');
  await start();
}

/** The published package leaves it to those who have plugins to install what these share with the service. */
async function loadShared(): Promise<typeof Start> {
  try {
    return (await import(UNBUNDLED)) as typeof Start;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const { peerDependencies = {} } = JSON.parse(await readFile(MANIFEST, 'utf8')) as {
      readonly peerDependencies?: Readonly<Record<string, string>>;
    };
    const shared = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);
    process.stderr.write(
      `Tradepost did not start: PLUGINS need packages that they share with the service: npm install ${shared.join(' ')}\n`,
    );
    process.exit(1);
  }
}

/** Node 20 has none. Beside the code, where only who may change the code can write. */
function enableCompileCache(): void {
  (module as Partial<typeof module>).enableCompileCache?.(join(import.meta.dirname, '.compile-cache'));
}
