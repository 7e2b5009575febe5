/**
 * `npm run build`: compiles everything into `dist`, and leaves the stamp by which a start sees that nothing has changed since.
 * One at a time in a folder; with `--if-changed` the second one finds done what it has waited for.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

const STEPS = [
  'tsc -p packages/client --noCheck',
  'nest build',
  'rolldown --config',
  'vite build console --logLevel warn',
];

const STAMP = 'dist/.built';
const SOURCES = [
  'src',
  'scripts',
  'bench',
  'examples',
  'plugins',
  'console',
  'packages/client/src',
  'packages/client/package.json',
  'packages/client/tsconfig.json',
  'packages/verify/src',
  'ormconfig.ts',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'rolldown.config.mjs',
  'package.json',
  // What the bundle contains of others' packages.
  'package-lock.json',
];

/** Has the number of the process that builds. Outside of `dist`, which a build deletes. */
const LOCK = 'node_modules/.cache/build.lock';
const WAIT_MS_MAX = 600_000;
const LOOK_EVERY_MS = 200;

export function isBuilt() {
  return existsSync(STAMP) && Math.max(...SOURCES.map(newestChange)) < statSync(STAMP).mtimeMs;
}

/** @param {string} path */
function newestChange(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

function build() {
  const startedAt = new Date();
  for (const step of STEPS) {
    // Rolldown lists all that it writes.
    const stdout = step.startsWith('rolldown') ? 'ignore' : 'inherit';
    const { status } = spawnSync(step, { shell: true, stdio: ['ignore', stdout, 'inherit'] });
    if (status !== 0) return status ?? 1;
  }
  // A file saved during the compilation is newer than the stamp, and so triggers the next build.
  writeFileSync(STAMP, '');
  utimesSync(STAMP, startedAt, startedAt);
  return 0;
}

async function lock() {
  mkdirSync('node_modules/.cache', { recursive: true });
  const giveUpAtMs = performance.now() + WAIT_MS_MAX;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const holder = Number(readFileSync(LOCK, { encoding: 'utf8', flag: 'a+' }));
    if (!isRunning(holder)) rmSync(LOCK, { force: true });
    else if (performance.now() > giveUpAtMs)
      throw new Error(`Process ${holder} has been building for ten minutes: end it, or delete ${LOCK}.`);
    else {
      if (isFirst) process.stdout.write(`Process ${holder} builds in this folder; waiting for it…\n`);
      await delay(LOOK_EVERY_MS);
    }
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

if (import.meta.filename === process.argv[1]) {
  await lock();
  try {
    process.exitCode = process.argv.includes('--if-changed') && isBuilt() ? 0 : build();
  } finally {
    rmSync(LOCK, { force: true });
  }
}
