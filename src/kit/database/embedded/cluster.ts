import { execFile } from 'node:child_process';
import { chmod, mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StartRefusal } from '../../config/start-refusal.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import type { ServerAccount } from './server-account.js';

/** The role that owns everything in the embedded database. */
export const CLUSTER_ROLE = 'tradepost';

/**
 * How the server is told its data folder. Root may keep it below folders that the server's user cannot
 * walk through, such as `/root`. The server then gets the folder as the place it is started in, which
 * Linux reaches without walking.
 * @throws StartRefusal where that would be needed and there is no such way.
 */
export async function clusterArgument(clusterDir: string, account: ServerAccount): Promise<string> {
  if (!account.isLent || (await account.canEnter(clusterDir))) return clusterDir;
  if (process.platform === 'linux') return '/proc/self/cwd';
  throw new StartRefusal(
    `DATA_DIR ${dirname(clusterDir)} cannot be reached by the user that PostgreSQL runs as: choose another folder, or start as another user than root.`,
  );
}

/**
 * Makes the cluster unless it is there. It appears whole or not at all: it is made under another name,
 * written to disk and renamed; of two processes that do so at once, one wins and both go on.
 * @throws StartRefusal when it cannot be made, or was made by another version of PostgreSQL.
 */
export async function ensureCluster(
  clusterDir: string,
  account: ServerAccount,
  binaries: PostgresBinaries,
): Promise<void> {
  if (await isMade(clusterDir, binaries)) return;
  await removeUnfinished(clusterDir);
  const unfinished = `${clusterDir}.new-${process.pid}`;
  await mkdir(unfinished, { mode: 0o700 });
  try {
    await chmod(unfinished, 0o700);
    await account.give(unfinished);
    await initialise(unfinished, account, binaries);
    await rename(unfinished, clusterDir).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    await syncFolder(dirname(clusterDir));
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function initialise(dir: string, account: ServerAccount, binaries: PostgresBinaries): Promise<void> {
  const args = [
    ...['-D', await clusterArgument(dir, account)],
    `--username=${CLUSTER_ROLE}`,
    '--encoding=UTF8',
    // Sorts the same on every machine, whatever its C library.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    '--data-checksums',
    // Who may open the socket is decided by the mode of its folder; there is no other way in.
    ...['--auth-local=trust', '--auth-host=reject'],
  ];
  try {
    await promisify(execFile)(binaries.initdb, args, { ...account.spawnOptions, cwd: dir });
  } catch (error) {
    const reason = (error as { stderr?: string }).stderr?.trim() || String(error);
    throw new StartRefusal(`The embedded database could not be made in ${dirname(dir)}: ${reason}`, {
      cause: error,
    });
  }
}

/** Whether a cluster is there that these binaries can serve. */
async function isMade(clusterDir: string, binaries: PostgresBinaries): Promise<boolean> {
  const content = await readdir(clusterDir).catch(ignoreMissing);
  if (content === undefined || content.length === 0) return false;
  const version = (await readFile(join(clusterDir, 'PG_VERSION'), 'utf8').catch(ignoreMissing))?.trim();
  if (version === undefined) {
    throw new StartRefusal(
      `${clusterDir} is not a PostgreSQL data folder: move it away, or choose another DATA_DIR.`,
    );
  }
  if (version !== binaries.majorVersion) {
    throw new StartRefusal(
      `${clusterDir} was made by PostgreSQL ${version}, and this release brings ${binaries.majorVersion}: start the release that made it, or choose another DATA_DIR.`,
    );
  }
  return true;
}

/** Removes what processes that were killed while they made a cluster have left. */
async function removeUnfinished(clusterDir: string): Promise<void> {
  const prefix = `${basename(clusterDir)}.new-`;
  for (const name of await readdir(dirname(clusterDir))) {
    if (name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length)))) {
      await rm(join(dirname(clusterDir), name), { recursive: true, force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** A rename is durable only when the folder around it is. */
async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
