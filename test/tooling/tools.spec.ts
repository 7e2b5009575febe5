import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureTools } from '../../scripts/support/tools.js';

/** Entries of the lockfile, those for other platforms included. What only a few tests need belongs in `test/tools`. */
const PACKAGES_MAX = 800;

describe('packages that few tests need', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-tools-'));
    await require('1.0.0');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Requires nothing, so that npm needs no registry. */
  async function require(version: string): Promise<void> {
    const manifest = { name: 'tools', version };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    const lock = { ...manifest, lockfileVersion: 3, packages: { '': manifest } };
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
  }

  const installedAt = (): Promise<string> => readFile(join(folder, 'node_modules/.installed'), 'utf8');

  it('are installed by those who need them, at once if need be, and once', async () => {
    expect(await Promise.all([ensureTools(folder), ensureTools(folder), ensureTools(folder)])).toEqual([
      folder,
      folder,
      folder,
    ]);
    expect((await readdir(folder)).toSorted()).toEqual(['node_modules', 'package-lock.json', 'package.json']);
    await writeFile(join(folder, 'node_modules/kept'), '');
    await ensureTools(folder);
    expect(existsSync(join(folder, 'node_modules/kept'))).toBe(true);
  });

  it('are installed again once others are required', async () => {
    await ensureTools(folder);
    const before = await installedAt();
    await require('2.0.0');
    await ensureTools(folder);
    expect(await installedAt()).not.toBe(before);
    expect((await readdir(folder)).toSorted()).toEqual(['node_modules', 'package-lock.json', 'package.json']);
  });

  it('fail in words where they cannot be had', async () => {
    await writeFile(join(folder, 'package-lock.json'), '{');
    await expect(ensureTools(folder)).rejects.toThrow(/npm ci in .* ended with 1/);
    expect((await readdir(folder)).toSorted()).toEqual(['package-lock.json', 'package.json']);
  });
});

describe('npm ci', () => {
  it('brings no more packages than it must', async () => {
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: object };
    expect(Object.keys(packages).length).toBeLessThanOrEqual(PACKAGES_MAX);
  });
});
