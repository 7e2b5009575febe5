#!/usr/bin/env node
import module from 'node:module';
import { join } from 'node:path';
import type * as Command from './new-plugin/command.js';
import type * as Start from './start.js';

/** The same in the bundle and beside it. */
const UNBUNDLED = new URL('../src/start.js', import.meta.url).href;
const COMMAND = new URL('../src/new-plugin/command.js', import.meta.url).href;

// Both before the rest is loaded: stack traces then name the lines of src/*.ts, and V8's compile cache serves the next
// start.
process.setSourceMapsEnabled(true);
enableCompileCache();
const commandLine = process.argv.slice(2);
if (commandLine.length === 0) await startService();
else await ((await import(COMMAND)) as typeof Command).runCommand(commandLine);

// Plugins import the service's modules, of which the bundle has copies of its own. Settings are read in there.
async function startService(): Promise<void> {
  // eslint-disable-next-line no-restricted-properties
  const { start } = process.env['PLUGINS']
    ? ((await import(UNBUNDLED)) as typeof Start)
    : await import('./start.js');
  await start();
}

/** Node 20 has none. Beside the code, where only who may change the code can write. */
function enableCompileCache(): void {
  (module as Partial<typeof module>).enableCompileCache?.(join(import.meta.dirname, '.compile-cache'));
}
