import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StartRefusal } from '../kit/config/start-refusal.js';
import { clusterArgument } from '../kit/database/embedded/cluster.js';
import {
  locateBinaryPackage,
  type PostgresBinaries,
  prepareBinaries,
} from '../kit/database/embedded/postgres-binaries.js';
import { readPostmasterFile } from '../kit/database/embedded/postmaster-file.js';
import { ServerAccount } from '../kit/database/embedded/server-account.js';
import { makeSocketFolder } from '../kit/database/embedded/socket-folder.js';
import { showProgress } from '../kit/progress.js';

/** What only the server that wrote it can use. */
const NOT_COPIED = /^(postmaster\.(pid|opts)|standby\.signal|(pg_replslot|pg_stat_tmp|pg_dynshmem)\/.+)$/;
/** The files of the backup that would make the copy do what production does. */
const REPLACED = ['postgresql.conf', 'postgresql.auto.conf', 'pg_hba.conf', 'pg_ident.conf'];
const SEGMENT = /^[0-9A-F]{24}$/;
const TIMELINE_LENGTH = 8;
const POLL_MS = 20;
const LOG_LINES_MAX = 200;

export interface RestoreOptions {
  readonly base: string;
  readonly wal: string;
  readonly until?: Date;
  readonly timeline: string;
  readonly pgBin?: string;
  readonly database: string;
  readonly user: string;
}

/** A copy of a base backup that is recovered from the archive by a server of its own, which nobody else reaches. */
export class RestoredServer {
  private child: ChildProcess | undefined;
  private readonly log: string[] = [];
  private readonly restored: string[] = [];

  private constructor(
    private readonly dir: string,
    private readonly socketDir: string,
    private readonly options: RestoreOptions,
    private readonly binaries: PostgresBinaries,
    private readonly account: ServerAccount,
  ) {}

  /** @throws StartRefusal where the backup cannot be restored here. */
  static async copyOf(options: RestoreOptions, folder: string, signal: AbortSignal): Promise<RestoredServer> {
    const { base, wal } = options;
    const version = (await readFile(join(base, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
    if (version === '') throw new StartRefusal(`--base ${base} is no base backup: it has no PG_VERSION.`);
    if ((await readdir(wal).catch(() => undefined)) === undefined) {
      throw new StartRefusal(`--wal ${wal} is no folder that can be read.`);
    }
    const account = await accountFor(wal);
    const binaries = await binariesFor(options.pgBin, account, folder);
    if (binaries.majorVersion !== version) {
      throw new StartRefusal(
        `--base was made by PostgreSQL ${version}, and this one is ${binaries.majorVersion}: name the programs of ${version} with --pg-bin.`,
      );
    }
    await account.give(folder);
    const dir = join(folder, 'postgres');
    await copyFolder(base, dir, account, signal);
    const server = new RestoredServer(dir, await makeSocketFolder(account), options, binaries, account);
    await server.configure();
    return server;
  }

  get url(): string {
    const { user, database } = this.options;
    const host = encodeURIComponent(this.socketDir);
    return `postgresql://${encodeURIComponent(user)}@localhost/${encodeURIComponent(database)}?host=${host}&sslmode=disable`;
  }

  /** Recovers, and resolves once the server takes connections. Throws with its own words if it does not come so far. */
  async start(signal: AbortSignal): Promise<void> {
    const segments = await this.archived();
    const progress = showProgress('Recovering', Math.max(1, segments.length));
    // The command line wins over every file of the folder.
    const settings = ['archive_mode=off', 'archive_command=', 'archive_library='];
    const child = spawn(
      this.binaries.postgres,
      ['-D', await clusterArgument(this.dir, this.account), ...settings.flatMap((line) => ['-c', line])],
      { ...this.account.spawnOptions, cwd: this.dir, detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.child = child;
    let failure: Error | undefined;
    child.once('error', (error) => (failure = error));
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.log.push(line);
      if (this.log.length > LOG_LINES_MAX) this.log.shift();
      const name = /restored log file "([0-9A-F]{24})" from archive/.exec(line)?.[1];
      if (name === undefined) return;
      this.restored.push(name);
      progress.update(this.restored.length);
    });
    try {
      while ((await readPostmasterFile(this.dir))?.isReady !== true) {
        signal.throwIfAborted();
        if (failure !== undefined) throw failure;
        if (hasEnded(child)) throw new Error(`PostgreSQL did not recover it: ${this.lastWords()}`);
        await delay(POLL_MS);
      }
    } finally {
      progress.stop();
    }
  }

  /**
   * What the archive has beyond where recovery ended, on the timeline that it followed: PostgreSQL takes a segment that
   * is missing or cannot be read for the end, and says nothing. Null where it came to the end.
   */
  async notReached(): Promise<string | null> {
    const last = this.restored.at(-1);
    const segments = await this.archived();
    if (last === undefined) {
      const inBackup = (await readdir(join(this.dir, 'pg_wal'))).filter((name) => SEGMENT.test(name)).sort();
      const first = inBackup[0] ?? '';
      return (
        segments.find((name) => name > first && name.startsWith(first.slice(0, TIMELINE_LENGTH))) ?? null
      );
    }
    const timeline = last.slice(0, TIMELINE_LENGTH);
    return segments.find((name) => name.startsWith(timeline) && name > last) ?? null;
  }

  /** The last segment that was taken from the archive; null where the backup alone was enough. */
  get lastSegment(): string | null {
    return this.restored.at(-1) ?? null;
  }

  /** Ends the server; the folder stays. */
  async stop(): Promise<void> {
    const { child } = this;
    if (child?.pid !== undefined && !hasEnded(child)) {
      const exited = once(child, 'exit');
      // PostgreSQL's fast shutdown.
      child.kill('SIGINT');
      await exited;
    }
    await rm(this.socketDir, { recursive: true, force: true });
  }

  /** The segments of the archive when asked: production goes on archiving. */
  private async archived(): Promise<string[]> {
    return (await readdir(this.options.wal)).filter((name) => SEGMENT.test(name)).sort();
  }

  private lastWords(): string {
    const complaints = this.log.flatMap((line) => /(?:FATAL|PANIC): +(.*)/.exec(line)?.[1] ?? []);
    return complaints.at(-1) ?? this.log.slice(-4).join(' ');
  }

  /** Production's files stay beside under another name, for who makes a server of the folder. */
  private async configure(): Promise<void> {
    for (const name of REPLACED) {
      await rename(join(this.dir, name), join(this.dir, `${name}.of-backup`)).catch(ignoreMissing);
    }
    const { wal, until, timeline } = this.options;
    const settings = {
      archive_mode: 'off',
      restore_command: `cp -- ${inShell(`${wal}/`)}%f %p`,
      recovery_target_timeline: timeline,
      ...(until !== undefined && { recovery_target_time: until.toISOString().replace('Z', '+00') }),
      recovery_target_action: 'promote',
      // On, recovery would stop where production's limits of connections are higher.
      hot_standby: 'off',
      listen_addresses: '',
      unix_socket_directories: this.socketDir,
      unix_socket_permissions: '0700',
      max_connections: '20',
      max_wal_size: '4GB',
      jit: 'off',
      TimeZone: 'UTC',
      log_timezone: 'UTC',
    };
    const lines = Object.entries(settings).map(
      ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`,
    );
    await this.write('postgresql.conf', `${lines.join('\n')}\n`);
    await this.write('postgresql.auto.conf', '');
    await this.write('pg_hba.conf', 'local all all trust\n');
    await this.write('pg_ident.conf', '');
    await this.write('recovery.signal', '');
  }

  private async write(name: string, text: string): Promise<void> {
    const path = join(this.dir, name);
    await writeFile(path, text, { mode: 0o600 });
    await this.account.give(path);
  }
}

/** Root runs the server as the owner of the archive, who can read it. */
async function accountFor(wal: string): Promise<ServerAccount> {
  const isRoot = process.getuid?.() === 0;
  const account = await ServerAccount.forCluster(isRoot ? wal : join(wal, 'none'));
  if (await account.canEnter(wal)) return account;
  throw new StartRefusal(`--wal ${wal} cannot be entered by the user that PostgreSQL runs as.`);
}

async function binariesFor(
  pgBin: string | undefined,
  account: ServerAccount,
  folder: string,
): Promise<PostgresBinaries> {
  if (pgBin === undefined) {
    const copies = account.isLent
      ? ['/var/cache/tradepost', join(tmpdir(), 'tradepost-binaries')]
      : [join(folder, 'binaries')];
    return prepareBinaries(locateBinaryPackage(), account, copies);
  }
  const postgres = join(pgBin, 'postgres');
  const said = await promisify(execFile)(postgres, ['--version']).catch(() => undefined);
  const majorVersion = /\) (\d+)/.exec(said?.stdout ?? '')?.[1];
  if (majorVersion === undefined) throw new StartRefusal(`--pg-bin ${pgBin} has no postgres that runs.`);
  return { postgres, initdb: join(pgBin, 'initdb'), majorVersion };
}

async function copyFolder(
  from: string,
  to: string,
  account: ServerAccount,
  signal: AbortSignal,
): Promise<void> {
  const entries = (await readdir(from, { recursive: true, withFileTypes: true })).map((entry) => ({
    entry,
    path: join(entry.parentPath, entry.name).slice(from.length + 1),
  }));
  // Tablespaces and a log elsewhere: a server on the copy would write to what production writes to.
  const link = entries.find(({ entry }) => entry.isSymbolicLink());
  if (link !== undefined) {
    throw new StartRefusal(
      `--base has a link, ${link.path}: only a backup that is whole within its folder can be restored apart from production.`,
    );
  }
  await makeFolder(to, account);
  const progress = showProgress('Copying', entries.length);
  try {
    for (const [index, { entry, path }] of entries.entries()) {
      signal.throwIfAborted();
      progress.update(index + 1);
      if (NOT_COPIED.test(path)) continue;
      const target = join(to, path);
      if (entry.isDirectory()) await makeFolder(target, account);
      if (!entry.isFile()) continue;
      await copyFile(join(from, path), target, constants.COPYFILE_FICLONE);
      await chmod(target, 0o600);
      await account.give(target);
    }
  } finally {
    progress.stop();
  }
  // Backups by other tools may lack it.
  const status = join(to, 'pg_wal', 'archive_status');
  if ((await stat(status).catch(() => undefined)) === undefined) await makeFolder(status, account);
}

async function makeFolder(path: string, account: ServerAccount): Promise<void> {
  await mkdir(path, { mode: 0o700, recursive: true });
  await account.give(path);
}

/** As one word of a shell, in a setting in which PostgreSQL replaces `%f` and `%p`. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
