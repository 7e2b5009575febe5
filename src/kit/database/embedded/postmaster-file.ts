import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** The parsed `postmaster.pid` of a running server, as far as it has been written. */
export interface PostmasterFile {
  readonly pid: number;
  readonly socketDir: string | undefined;
  /** Whether it accepts connections, rather than starting, recovering or stopping. */
  readonly isReady: boolean;
  /** The whole file, to detect a change later. */
  readonly text: string;
}

export function postmasterFilePath(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}

/** `undefined` if no server runs there, and none stopped without removing the file. */
export async function readPostmasterFile(clusterDir: string): Promise<PostmasterFile | undefined> {
  const text = await readIfThere(postmasterFilePath(clusterDir));
  const pid = pidIn(text);
  const lines = text.split('\n');
  return pid === undefined
    ? undefined
    : { pid, socketDir: lines[4]?.trim() || undefined, isReady: lines[7]?.trim() === 'ready', text };
}

/** The process that holds the lock file of a socket, whose first line is as in `postmaster.pid`. */
export async function readSocketLock(lockFile: string): Promise<number | undefined> {
  return pidIn(await readIfThere(lockFile));
}

async function readIfThere(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

function pidIn(text: string): number | undefined {
  const pid = Number(text.split('\n', 1)[0]);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

/**
 * Who has the process id that a server once had: `server`, a PostgreSQL that may be of this folder; `other`, another
 * process that got the same id (common in containers), or a killed server that its parent has not reaped; `nobody`.
 */
export type Occupant = 'server' | 'other' | 'nobody';

export async function occupantOf(pid: number, clusterDir: string): Promise<Occupant> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'nobody';
  }
  const command = await commandOf(pid);
  if (basename(command) !== 'postgres') return 'other';
  // A server's working directory is its data folder. If that cannot be read, other checks must identify it.
  const [workingDir, folder] = await Promise.all([
    stat(`/proc/${pid}/cwd`).catch(() => undefined),
    stat(clusterDir),
  ]);
  const isElsewhere =
    workingDir !== undefined && (workingDir.dev !== folder.dev || workingDir.ino !== folder.ino);
  return isElsewhere ? 'other' : 'server';
}

async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return commandLine.split('\0')[0] ?? '';
  }
  return await promisify(execFile)('ps', ['-o', 'comm=', '-p', String(pid)]).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
}
