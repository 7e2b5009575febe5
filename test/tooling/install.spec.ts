import { spawnSync } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const TIMEOUT_MS = 120_000;

/** A project with our .npmrc, and one package that requires a Node version that does not exist. */
describe('npm ci', { timeout: TIMEOUT_MS }, () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-install-'));
    await copyFile('.npmrc', join(folder, '.npmrc'));
    const lock = {
      name: 'project',
      version: '1.0.0',
      lockfileVersion: 3,
      packages: {
        '': { name: 'project', version: '1.0.0', dependencies: { demanding: '1.0.0' } },
        'node_modules/demanding': { version: '1.0.0', engines: { node: '>=999' } },
      },
    };
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
    await writeFile(join(folder, 'package.json'), JSON.stringify(lock.packages['']));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Runs like a shell: without the environment that `npm test` gives its scripts. */
  function install(...options: string[]): { status: number | null; stdout: string; stderr: string } {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
    const args = ['ci', '--dry-run', '--offline', '--cache', join(folder, 'cache'), ...options];
    return spawnSync('npm', args, { cwd: folder, env, encoding: 'utf8', timeout: TIMEOUT_MS });
  }

  it('says nothing of engines, unless asked for warnings', () => {
    const { status, stdout, stderr } = install();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('add demanding 1.0.0');
    expect(install('--loglevel=warn').stderr).toContain('EBADENGINE');
  });

  it('still shows what went wrong', async () => {
    const outdated = { name: 'project', version: '1.0.0', dependencies: { demanding: '2.0.0' } };
    await writeFile(join(folder, 'package.json'), JSON.stringify(outdated));
    const { status, stderr } = install();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^npm error/m);
  });
});
