import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { isRedisMissing } from '../support/redis.js';

const SCRIPT = 'dist/scripts/cluster/cluster.js';
const START_MS_MAX = 180_000;
const WAIT_MS_MAX = 60_000;

/** The built `npm run cluster`, from its first line to Ctrl-C. */
describe.skipIf(isRedisMissing('npm run cluster'))('npm run cluster', () => {
  let child: ChildProcess | undefined;
  const said: string[] = [];

  afterEach(async () => {
    if (child === undefined || child.exitCode !== null) return;
    child.kill('SIGINT');
    await once(child, 'exit');
  });

  /** Waits for a line, which may have been printed already. */
  const line = async (pattern: RegExp, msMax = WAIT_MS_MAX): Promise<RegExpExecArray> => {
    const deadlineMs = performance.now() + msMax;
    while (performance.now() < deadlineMs) {
      for (const one of said) {
        const match = pattern.exec(one);
        if (match !== null) return match;
      }
      if (child!.exitCode !== null) break;
      await delay(50);
    }
    throw new Error(`nothing like ${pattern.source} was said:\n${said.join('\n')}`);
  };

  const isServing = async (url: string): Promise<boolean> =>
    fetch(`${url}/markets`, { signal: AbortSignal.timeout(5_000) }).then(
      ({ ok }) => ok,
      () => false,
    );

  it('serves, outlives a kill of a process, and leaves nothing behind', async () => {
    child = spawn(process.execPath, [SCRIPT, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: child.stdout! }).on('line', (text) => void said.push(text));
    const url = (await line(/^Tradepost serves (\S+)/, START_MS_MAX))[1]!;
    const pids = [];
    for (const name of ['process-1', 'process-2', 'process-3'])
      pids.push(Number((await line(new RegExp(`^ +${name} .*kill -9 (\\d+)$`)))[1]));
    const folder = dirname(dirname((await line(/^ +Logs +(\S+)$/))[1]!));
    expect(await isServing(url)).toBe(true);

    process.kill(pids[0]!, 'SIGKILL');
    await line(/^process-1 \(pid \d+\) has ended/);
    const deadlineMs = performance.now() + WAIT_MS_MAX;
    while (!(await isServing(url)) && performance.now() < deadlineMs) await delay(100);
    expect(await isServing(url)).toBe(true);
    pids.push(Number((await line(/^process-1 is back at \S+ \(pid (\d+)\)$/))[1]));

    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(existsSync(folder)).toBe(false);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
