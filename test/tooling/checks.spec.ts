import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Types and lint are checked by `npm test`. */
it.each(['check:format', 'check:floors'])('npm run %s finds nothing', async (name) => {
  const failed = await promisify(execFile)('npm', ['run', '--silent', name]).then(
    () => undefined,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
  expect(failed).toBeUndefined();
});
