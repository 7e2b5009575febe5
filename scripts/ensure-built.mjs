/**
 * Builds the service if `dist` is missing or older than its sources, so that a fresh clone starts with `npm ci && npm
 * start` and a second start does not wait for a compiler.
 */
import { spawnSync } from 'node:child_process';
import { isBuilt } from './build.mjs';

// npm's own warnings are off (.npmrc): most are about packages that the Node of the scripts suits, and npm's does not.
const NODE_MIN = process.platform === 'linux' ? '20.11' : '22.19';
const [major, minor] = process.versions.node.split('.').map(Number);
const [majorMin, minorMin] = NODE_MIN.split('.').map(Number);
if (major < majorMin || (major === majorMin && minor < minorMin)) {
  process.stderr.write(`Tradepost needs Node ${NODE_MIN} or later; this is ${process.versions.node}.\n`);
  process.exit(1);
}

if (!isBuilt()) {
  process.stdout.write('Building Tradepost…\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build', '--', '--if-changed'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
}
