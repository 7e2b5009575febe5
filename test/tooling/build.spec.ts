import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const STEPS = ['tsc', 'nest', 'rolldown', 'vite'];
const LOCK = 'node_modules/.cache/build.lock';

/** A folder with the scripts of a clone, and in place of compilers programs that say when they begin and end. */
describe('a clone', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-build-'));
    const programs = join(folder, 'bin');
    env = { ...process.env, PATH: `${programs}${delimiter}${process.env['PATH']}` };
    await mkdir(join(folder, 'dist'));
    await mkdir(join(folder, 'src'));
    await mkdir(programs);
    await cp('scripts', join(folder, 'scripts'), { recursive: true });
    await writeFile(
      join(folder, 'package.json'),
      '{"type": "module", "scripts": {"build": "node scripts/build.mjs"}}',
    );
    for (const step of STEPS) {
      const program = join(programs, step);
      await writeFile(
        program,
        `#!/bin/sh\necho ${step} >> log\nsleep 0.1\ntest ! -e broken || exit 3\necho end >> log\n`,
      );
      await chmod(program, 0o755);
    }
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const ensureBuilt = async (): Promise<number | null> => {
    const child = spawn(process.execPath, ['scripts/ensure-built.mjs'], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    const [status] = (await once(child, 'exit')) as [number | null];
    return status;
  };
  const log = async (): Promise<string[]> => (await readFile(join(folder, 'log'), 'utf8')).trim().split('\n');
  const WHOLE = STEPS.flatMap((step) => [step, 'end']);

  it('is built once by two first starts, one of which waits for the other', async () => {
    expect(await Promise.all([ensureBuilt(), ensureBuilt()])).toEqual([0, 0]);
    expect(await log()).toEqual(WHOLE);
    expect(await ensureBuilt()).toBe(0);
    expect(await log()).toEqual(WHOLE);
  });

  it('needs nothing more after `npm run build`, until a source changes', async () => {
    expect(spawnSync('npm', ['run', 'build'], { cwd: folder, env }).status).toBe(0);
    expect(await ensureBuilt()).toBe(0);
    expect(await log()).toEqual(WHOLE);
    await writeFile(join(folder, 'src/new.ts'), '');
    expect(await ensureBuilt()).toBe(0);
    expect(await log()).toEqual([...WHOLE, ...WHOLE]);
  });

  it('is built again where a build failed, or was killed', async () => {
    await writeFile(join(folder, 'broken'), '');
    expect(await ensureBuilt()).toBe(3);
    await rm(join(folder, 'broken'));
    await mkdir(join(folder, 'node_modules/.cache'), { recursive: true });
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await writeFile(join(folder, LOCK), String(pid));
    expect(await ensureBuilt()).toBe(0);
    expect(await log()).toEqual(['tsc', ...WHOLE]);
  });

  it('has the checker, which is built when it is first asked for', async () => {
    await cp('packages/verify/tradepost-verify.mjs', join(folder, 'packages/verify/tradepost-verify.mjs'));
    await writeFile(
      join(folder, 'scripts/ensure-built.mjs'),
      `import { mkdirSync, writeFileSync } from 'node:fs';
       console.log('Building…');
       mkdirSync('packages/verify/dist');
       writeFileSync('packages/verify/dist/cli.js', 'console.log("checked", process.argv[2])');`,
    );
    const program = join(folder, 'packages/verify/tradepost-verify.mjs');
    const verify = (what: string) => spawnSync(program, [what], { encoding: 'utf8' });
    expect(verify('head')).toMatchObject({ status: 0, stdout: 'checked head\n', stderr: 'Building…\n' });
    expect(verify('archive')).toMatchObject({ status: 0, stdout: 'checked archive\n', stderr: '' });
  });
});
