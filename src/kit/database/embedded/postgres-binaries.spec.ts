import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartRefusal } from '../../config/start-refusal.js';
import { locateBinaryPackage, prepareBinaries } from './postgres-binaries.js';
import { ServerAccount } from './server-account.js';

describe('prepareBinaries', () => {
  let folder: string;
  let account: ServerAccount;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-binaries-'));
    await chmod(folder, 0o755);
    account = await ServerAccount.forCluster(join(folder, 'none'));
  });
  afterEach(async () => {
    execFileSync('chmod', ['-R', 'u+w', folder]);
    await rm(folder, { recursive: true });
  });

  /** A package installed without its scripts, for one user only, in a read-only folder. */
  const installBadly = async (): Promise<string> => {
    const parent = join(folder, 'private');
    await mkdir(parent, { mode: 0o700 });
    execFileSync('cp', ['-R', locateBinaryPackage(), parent]);
    const packageDir = join(parent, basename(locateBinaryPackage()));
    const links = JSON.parse(await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8')) as {
      target: string;
    }[];
    for (const { target } of links) await rm(join(packageDir, target), { force: true });
    await chmod(join(packageDir, 'native', 'lib'), 0o555);
    return packageDir;
  };

  it('uses the package where it is if it can be run there, and otherwise copies it once', async () => {
    const packageDir = await installBadly();
    const copyDir = join(folder, 'cache');
    const binaries = await prepareBinaries(packageDir, account, [copyDir]);
    expect(binaries.initdb.startsWith(copyDir)).toBe(true);
    expect(binaries.majorVersion).toBe('18');
    expect(await account.canRun(binaries.postgres)).toBe(true);

    await rm(join(packageDir, 'native', 'bin'), { recursive: true });
    expect(await prepareBinaries(packageDir, account, [copyDir])).toEqual(binaries);
  });

  it('runs nothing that others could have put there', async () => {
    const packageDir = await installBadly();
    const shared = join(folder, 'shared');
    await mkdir(shared);
    await chmod(shared, 0o777);
    await expect(prepareBinaries(packageDir, account, [shared])).rejects.toThrow(StartRefusal);
  });
});

describe('locateBinaryPackage', () => {
  it('says what to do on a platform that has none', () => {
    expect(() => locateBinaryPackage('sunos', 'sparc')).toThrow(
      /^There is no embedded PostgreSQL for sunos-sparc.*DATABASE_URL/,
    );
  });
});
