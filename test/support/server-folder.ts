import { mkdtemp, readdir, readFile, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** What a run leaves there stays well below, with the log of every server at its longest. */
const FREE_BYTES_MIN = 8 * 1024 ** 3;

export const SITE_PREFIX = 'tradepost-recovery-';
export const CLUSTER_PREFIX = 'tradepost-cluster-';

/**
 * Makes a folder for the data of a database server: in memory where there is room, since a run makes and drops a
 * thousand databases, and each waits for the disk. The settings of the server stay what they are, and a killed process
 * loses no more of what it wrote than it would on a disk.
 */
export async function makeServerFolder(prefix: string): Promise<string> {
  return mkdtemp(join((await hasRoomInMemory()) ? MEMORY : tmpdir(), `${prefix}${process.pid}-`));
}

/** Folders whose makers have ended without removing them. */
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

/** Beside the data, the binaries of the server may lie there, which are to be carried out. */
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
