import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** What a running server writes into its data folder about itself, as far as it has been written. */
export interface PostmasterFile {
  readonly pid: number;
  readonly socketDir: string | undefined;
  /** The whole file, to see later whether it is still the same. */
  readonly text: string;
}

export function postmasterFilePath(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}

/** `undefined` when no server runs there, or none ended without cleaning up. */
export async function readPostmasterFile(clusterDir: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(postmasterFilePath(clusterDir), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    },
  );
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return { pid, socketDir: lines[4]?.trim() || undefined, text };
}

/**
 * Who has the process id that a server once had: a PostgreSQL that may be of this folder, another process
 * (ids are used again, above all in containers), or nobody.
 */
export type Occupant = 'server' | 'other' | 'nobody';

export async function occupantOf(pid: number, clusterDir: string): Promise<Occupant> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return 'nobody';
  }
  const command = await commandOf(pid);
  // A process that has ended and was not waited for has no command any more.
  if (command === '') return 'nobody';
  if (basename(command) !== 'postgres') return 'other';
  // A server works from its data folder. Where that may not be looked at, it has to prove itself otherwise.
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
