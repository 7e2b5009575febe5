#!/usr/bin/env node
import { readFile } from 'node:fs/promises';
import module from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bundle } from './bundle.js';
import type * as Service from './service.js';

/** The same in the bundle and beside it. */
const UNBUNDLED = new URL('../src/start.js', import.meta.url).href;
const MANIFEST = new URL('../../package.json', import.meta.url);
const TEMPLATES = fileURLToPath(new URL('../../templates/', import.meta.url));

/** Beside the code, where only who may change the code can write. */
const CACHE = join(import.meta.dirname, '.compile-cache');

// Both before the rest is loaded, for what is not in the bundle: stack traces then name the lines of src/*.ts, and V8's
// compile cache serves the next start. Node 20 has none.
process.setSourceMapsEnabled(true);
(module as Partial<typeof module>).enableCompileCache?.(CACHE);
let bundle: Bundle | null = null;
const commandLine = process.argv.slice(2);
if (commandLine.length === 0) await startService();
else await (await loadService()).runCommand(commandLine, TEMPLATES);

// Plugins import the service's modules, of which the bundle has copies of its own. Settings are read in there.
async function startService(): Promise<void> {
  // eslint-disable-next-line no-restricted-properties
  const { start } = process.env['PLUGINS'] ? await loadShared() : await loadService();
  await start({ keepCompiled });
}

async function loadService(): Promise<typeof Service> {
  bundle = Bundle.in(import.meta.dirname, CACHE);
  return bundle === null ? import('./service.js') : (bundle.load() as typeof Service);
}

/** Else only a clean end would keep it, and a service may never have one. */
function keepCompiled(): void {
  (module as Partial<typeof module>).flushCompileCache?.();
  bundle?.keep();
}

/** The published package leaves it to those who have plugins to install what these share with the service. */
async function loadShared(): Promise<Pick<typeof Service, 'start'>> {
  try {
    return (await import(UNBUNDLED)) as typeof Service;
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
