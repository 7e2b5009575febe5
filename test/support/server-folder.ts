import { mkdtemp, readdir, readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MEMORY = '/dev/shm';
/** A run needs far less, even with the longest log of every server. */
const FREE_BYTES_MIN = 8 * 1024 ** 3;

export const SITE_PREFIX = 'tradepost-recovery-';
export const CLUSTER_PREFIX = 'tradepost-cluster-';

/**
 * Makes a folder for a database server's data: in memory if there is room, since a run makes and drops a thousand
 * databases, each of which would wait for the disk. The server's settings stay the same, and a killed process loses no
 * more than it would on a disk.
 */
export async function makeServerFolder(prefix: string): Promise<string> {
  return mkdtemp(join((await hasRoomInMemory()) ? MEMORY : tmpdir(), `${prefix}${process.pid}-`));
}

/** Folders whose processes ended without removing them. */
export async function abandonedServerFolders(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for (const parent of new Set([tmpdir(), MEMORY])) {
    for (const name of await readdir(parent).catch(() => [])) {
      const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
      if (pid !== undefined && !isAlive(Number(pid))) found.push(join(parent, name));
    }
  }
  return found;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The folder may also hold the server's binaries, which must be executable. */
async function hasRoomInMemory(): Promise<boolean> {
  try {
    const mounts = await readFile('/proc/self/mounts', 'utf8');
    const options = mounts.split('\n').find((line) => line.split(' ')[1] === MEMORY);
    const { bavail, bsize } = await statfs(MEMORY);
    return options?.includes('noexec') === false && bavail * bsize >= FREE_BYTES_MIN;
  } catch {
    return false;
  }
}

/** Where a run with this folder bundles the service: below the project, so that the bundle finds the packages beside it. */
export function bundleFolderOf(runFolder: string): string {
  return fileURLToPath(new URL(`../../.cache/${basename(runFolder)}`, import.meta.url));
}
