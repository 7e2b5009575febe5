import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('all of TypeScript compiles, and lint finds nothing', async () => {
  const failed = await promisify(execFile)('npm', ['run', '--silent', 'check:lint']).then(
    () => undefined,
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
  expect(failed).toBeUndefined();
});
