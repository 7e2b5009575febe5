/**
 * Runs all checks of `npm run check` side by side, shows what each says once it has ended, and fails if one does. What
 * passed is not run again while no file has changed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CHECKS = ['check:lint', 'check:format', 'check:floors'];

/** Inside `node_modules`, so that it goes with what `npm ci` removes. */
const PASSED = 'node_modules/.cache/check';

/** All that a check may read: any file of the tree, the packages, and Node. Undefined outside a git clone. */
function stateOfTree() {
  const hash = createHash('sha256').update(process.version);
  let paths;
  try {
    paths = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return undefined;
  }
  for (const path of ['node_modules/.package-lock.json', ...paths.split('\0')])
    if (path !== '' && existsSync(path))
      hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  return hash.digest('hex');
}

/** @param {string} name */
async function run(name) {
  const record = join(PASSED, name.replace(':', '-'));
  if (state !== undefined && existsSync(record) && readFileSync(record, 'utf8') === state) return true;
  const child = spawn('npm', ['run', '--silent', name], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const [code] = await once(child, 'close');
  if (code !== 0) process.stderr.write(`${name} failed:\n${output}`);
  if (code === 0 && state !== undefined) {
    mkdirSync(PASSED, { recursive: true });
    writeFileSync(record, state);
  }
  return code === 0;
}

const state = stateOfTree();
const passed = await Promise.all(CHECKS.map(run));
process.exit(passed.every(Boolean) ? 0 : 1);
