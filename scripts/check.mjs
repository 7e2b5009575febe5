/** Runs all checks of `npm run check` side by side, shows what each says once it has ended, and fails if one does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const CHECKS = ['check:lint', 'check:format', 'check:floors'];

/** @param {string} name */
async function run(name) {
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
  return code === 0;
}

const passed = await Promise.all(CHECKS.map(run));
process.exit(passed.every(Boolean) ? 0 : 1);
