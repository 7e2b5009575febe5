import { lstat, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { StartRefusal } from '../../config/start-refusal.js';
import { CLUSTER_ROLE } from './cluster.js';
import type { ServerAccount } from './server-account.js';

/** A unix socket path has at most 107 bytes (103 on macOS), and `/.s.PGSQL.5432` takes 14 of them. */
const FOLDER_BYTES_MAX = 88;
const FOLDER_PREFIX = 'tradepost-';

/**
 * A folder for the server's socket that only the server's user (and root) can open. It lies in the temporary folder:
 * the path of the data folder may be too long, and its file system may not support sockets. Its name is random, so that
 * nobody can create it first; `postmaster.pid` tells clients where it is.
 */
export async function makeSocketFolder(account: ServerAccount): Promise<string> {
  for (const parent of [tmpdir(), '/tmp']) {
    if (Buffer.byteLength(parent) > FOLDER_BYTES_MAX - FOLDER_PREFIX.length - 7) continue;
    if (!(await account.canEnter(parent))) continue;
    const folder = await mkdtemp(join(parent, FOLDER_PREFIX));
    await account.give(folder);
    return folder;
  }
  throw new StartRefusal(
    'There is no temporary folder for the socket of the embedded database: set TMPDIR to a short path.',
  );
}

/**
 * Creates the folder again at the same path, or confirms that the existing one is still ours.
 * @returns whether the server can have its socket there
 */
export async function restoreSocketFolder(folder: string, account: ServerAccount): Promise<boolean> {
  if (!basename(folder).startsWith(FOLDER_PREFIX)) return false;
  try {
    await mkdir(folder, { mode: 0o700 });
    await account.give(folder);
    return true;
  } catch {
    const found = await lstat(folder).catch(() => undefined);
    return found?.isDirectory() === true && found.uid === account.uid && (found.mode & 0o077) === 0;
  }
}

/** The server's lock file for its socket. */
export function socketLockPath(folder: string): string {
  return join(folder, '.s.PGSQL.5432.lock');
}

/** An address that pg, TypeORM and libpq understand, even if the app's environment has `PGSSLMODE`. */
export function socketUrl(folder: string, database: string): string {
  return `postgresql://${CLUSTER_ROLE}@localhost/${database}?host=${encodeURIComponent(folder)}&sslmode=disable`;
}
