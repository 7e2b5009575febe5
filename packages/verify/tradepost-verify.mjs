#!/usr/bin/env node
/** In a clone of the service the checker is compiled with it, which npm does not do when it installs. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath, URL } from 'node:url';

const PROGRAM = new URL('dist/cli.js', import.meta.url);
const CLONE = new URL('../../', import.meta.url);
const BUILD = new URL('scripts/ensure-built.mjs', CLONE);

if (!existsSync(PROGRAM) && existsSync(BUILD)) {
  // What the checker says alone is on stdout.
  const { status } = spawnSync(process.execPath, [fileURLToPath(BUILD)], {
    cwd: CLONE,
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}
await import(PROGRAM.href);
