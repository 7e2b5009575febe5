import { execFile } from 'node:child_process';
import { chown, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { StartRefusal } from '../../config/start-refusal.js';

const run = promisify(execFile);

/** The app's environment does not reach the server: `PGDATA`, `PGOPTIONS` and similar variables would change it. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } as const;

/** Accounts that root may run the server as, best first. */
const LENDABLE_ACCOUNTS = ['postgres', 'nobody'];

/**
 * The operating system user that runs the server. PostgreSQL refuses to run as root, so root uses another account;
 * every other user runs it as themselves.
 */
export class ServerAccount {
  private readonly ids: { readonly uid: number; readonly gid: number } | undefined;

  private constructor(ids: { readonly uid: number; readonly gid: number } | undefined) {
    this.ids = ids;
  }

  /**
   * The owner of an existing cluster runs its server.
   * @throws StartRefusal if this process may not act as that owner, or root finds no account to use.
   */
  static async forCluster(clusterDir: string): Promise<ServerAccount> {
    const existing = await stat(clusterDir).catch(() => undefined);
    const ownUid = process.getuid?.();
    if (ownUid !== 0) {
      if (existing !== undefined && existing.uid !== ownUid) {
        throw new StartRefusal(
          `DATA_DIR holds a database of the user with id ${existing.uid} (${clusterDir}): start as that user or as root, or choose another DATA_DIR.`,
        );
      }
      return new ServerAccount(undefined);
    }
    if (existing !== undefined && existing.uid !== 0) {
      return new ServerAccount({ uid: existing.uid, gid: existing.gid });
    }
    for (const name of LENDABLE_ACCOUNTS) {
      const ids = await idsOf(name);
      if (ids !== undefined) return new ServerAccount(ids);
    }
    throw new StartRefusal(
      `PostgreSQL does not run as root, and this machine has no user ${LENDABLE_ACCOUNTS.join(' or ')} to run it as: start as another user, or set DATABASE_URL.`,
    );
  }

  /** Whether the server runs as another user than this process. */
  get isLent(): boolean {
    return this.ids !== undefined;
  }

  /** Spread it into the options of `spawn`. */
  get spawnOptions(): { uid?: number; gid?: number; env: NodeJS.ProcessEnv } {
    return { ...this.ids, env: SERVER_ENVIRONMENT };
  }

  /** The uid that owns the server's files. */
  get uid(): number | undefined {
    return this.ids?.uid ?? process.getuid?.();
  }

  /** Gives the server ownership of a file or folder of this process. */
  async give(path: string): Promise<void> {
    if (this.ids !== undefined) await chown(path, this.ids.uid, this.ids.gid);
  }

  /** Whether the server can reach the folder by its path. */
  async canEnter(dir: string): Promise<boolean> {
    return await this.succeeds('/bin/sh', ['-c', 'cd -- "$1"', 'sh', dir]);
  }

  /** Whether the server's user can run the command, with all its libraries. */
  async canRun(file: string): Promise<boolean> {
    return await this.succeeds(file, ['--version']);
  }

  private async succeeds(file: string, args: readonly string[]): Promise<boolean> {
    return await run(file, args, { ...this.spawnOptions, cwd: '/' }).then(
      () => true,
      () => false,
    );
  }
}

async function idsOf(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
