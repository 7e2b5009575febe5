/**
 * Builds the service if `dist` is missing or older than its sources, so that a fresh clone starts with `npm ci && npm
 * start` and a second start does not wait for a compiler.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// npm's own warnings are off (.npmrc): most are about packages that the Node of the scripts suits, and npm's does not.
const NODE_MIN = process.platform === 'linux' ? '20.11' : '22.19';
const [major, minor] = process.versions.node.split('.').map(Number);
const [majorMin, minorMin] = NODE_MIN.split('.').map(Number);
if (major < majorMin || (major === majorMin && minor < minorMin)) {
  process.stderr.write(`Tradepost needs Node ${NODE_MIN} or later; this is ${process.versions.node}.\n`);
  process.exit(1);
}

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

function newestChange(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

const builtAt = existsSync(STAMP) ? statSync(STAMP).mtimeMs : 0;
if (Math.max(...SOURCES.map(newestChange)) >= builtAt) {
  const startedAt = new Date();
  process.stdout.write('Building Tradepost…\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
  // A file saved during the compilation is newer than the stamp, and so triggers the next build.
  writeFileSync(STAMP, '');
  utimesSync(STAMP, startedAt, startedAt);
}
