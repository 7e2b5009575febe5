import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

const FIXTURES = 'test/tooling/fixtures/summary';

/** The stdout of a run of these fixtures. */
function runOf(...fixtures: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile('vitest', ['run', '--root', FIXTURES, ...fixtures], (_failed, stdout) => resolve(stdout));
  });
}

it('ends a run with one plain line that counts every kind of failure', async () => {
  expect((await runOf('mixed')).trimEnd().split('\n').at(-1)).toBe('2 passed, 1 failed');
  expect((await runOf('broken')).trimEnd().split('\n').at(-1)).toBe('0 passed, 1 failed');
  expect((await runOf('stray')).trimEnd().split('\n').at(-1)).toBe('1 passed, 1 failed');
});
