import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { StartRefusal } from '../../config/start-refusal.js';
import { clusterArgument } from './cluster.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import {
  type PostmasterFile,
  occupantOf,
  postmasterFilePath,
  readPostmasterFile,
  readSocketLock,
} from './postmaster-file.js';
import type { ServerAccount } from './server-account.js';
import { serverArguments } from './server-settings.js';
import { makeSocketFolder, restoreSocketFolder, socketLockPath, socketUrl } from './socket-folder.js';

/** Every process that uses the server holds it shared, so that the last one knows that it is the last. */
const USERS_LOCK = 7_301_544_001;
/** How long a server may neither answer nor report that it is starting. */
const SILENCE_MS_MAX = 30_000;
const STOP_MS_MAX = 120_000;
const POLL_MS = 15;
const PLAIN_LINES_MAX = 4;
const LOG_BYTES_MAX = 16 * 1024 * 1024;
/** SQLSTATE `cannot_connect_now`: starting, recovering, or about to stop. */
const CANNOT_CONNECT_NOW = '57P03';

/** A server that serves our folder and counts us among its users. */
export interface Attachment {
  readonly pid: number;
  readonly socketDir: string;
  /** Whether another process had started it. */
  readonly adopted: boolean;
  /** Open while we use the server; it closes when the server stops. */
  readonly presence: pg.Client;
}

type JoinFailure = 'starting' | 'silent' | 'foreign';

/** The server process of one data folder, whoever started it. */
export class Postmaster {
  constructor(
    private readonly clusterDir: string,
    private readonly logFile: string,
    private readonly account: ServerAccount,
    private readonly binaries: PostgresBinaries,
  ) {}

  /**
   * Joins the running server of the folder, or starts one. Waits for a server that is starting, recovering or stopping.
   * If two processes start one at once, PostgreSQL itself admits one, and the other joins it.
   * @param socketDir where the server must listen, for users who connected before a crash
   * @throws StartRefusal with the server's own words if it does not start
   */
  async attach(socketDir?: string): Promise<Attachment> {
    let launched: LaunchedServer | undefined;
    let lastSignMs = performance.now();
    for (;;) {
      const file = await readPostmasterFile(this.clusterDir);
      const occupant = file === undefined ? 'nobody' : await occupantOf(file.pid, this.clusterDir);
      let joined: Attachment | JoinFailure = 'silent';
      if (file !== undefined && occupant === 'server') {
        joined = await this.join(file, file.pid !== launched?.pid);
        if (typeof joined === 'object') return joined;
      }
      if (joined === 'starting' || launched?.isStarting()) lastSignMs = performance.now();
      if (performance.now() - lastSignMs > SILENCE_MS_MAX) this.giveUp(file, launched);

      const isFree = file === undefined || occupant !== 'server' || joined === 'foreign';
      if (isFree && (launched === undefined || launched.hasFailed)) {
        if (launched !== undefined && !launched.wasTooEarly) {
          // Fails, as it should, if another user's server has its socket there by now.
          await rmdir(launched.socketDir).catch(() => undefined);
          this.giveUp(file, launched);
        }
        // PostgreSQL mistakes any process with that id for a server, so its lock files must be removed.
        if (file !== undefined && (occupant === 'other' || joined === 'foreign')) await this.discard(file);
        launched = await this.launch(
          await this.socketFolder(socketDir ?? launched?.socketDir ?? file?.socketDir),
        );
      }
      await delay(POLL_MS);
    }
  }

  /** Whether the attached server still runs and answers. */
  async isServing({ pid, presence }: Attachment): Promise<boolean> {
    // After a kill of the server its connections may still answer for a moment.
    if ((await occupantOf(pid, this.clusterDir)) !== 'server') return false;
    return await presence.query('SELECT').then(
      () => true,
      () => false,
    );
  }

  /**
   * Leaves the server, and stops it if nobody else uses it, after it has written everything.
   * @returns whether the server was stopped
   */
  async leave({ presence, pid, socketDir }: Attachment): Promise<boolean> {
    try {
      await presence.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]);
      const { rows } = await presence.query<{ last: boolean }>('SELECT pg_try_advisory_lock($1) AS last', [
        USERS_LOCK,
      ]);
      // While we hold the lock exclusively nobody can join, so no other user loses its server.
      if (rows[0]?.last !== true) return false;
      // SIGINT is PostgreSQL's fast shutdown: it does not wait for clients, and rolls back open transactions.
      process.kill(pid, 'SIGINT');
      const deadlineMs = performance.now() + STOP_MS_MAX;
      while ((await occupantOf(pid, this.clusterDir)) === 'server') {
        if (performance.now() > deadlineMs) throw new Error(`process ${pid} is still shutting down`);
        await delay(POLL_MS);
      }
      await rm(socketDir, { recursive: true, force: true });
      return true;
    } finally {
      await presence.end().catch(() => undefined);
    }
  }

  private async join(file: PostmasterFile, adopted: boolean): Promise<Attachment | JoinFailure> {
    if (file.socketDir === undefined || !file.isReady) return 'starting';
    const presence = new pg.Client({
      connectionString: socketUrl(file.socketDir, 'postgres'),
      application_name: 'tradepost-launcher',
      options: '-c statement_timeout=0 -c idle_session_timeout=0',
      connectionTimeoutMillis: 5_000,
    });
    // A lost connection also closes it, and its holder listens to that.
    presence.on('error', () => undefined);
    try {
      await presence.connect();
      if (!(await this.servesThisFolder(presence))) {
        await presence.end();
        return 'foreign';
      }
      const { rows } = await presence.query<{ taken: boolean }>(
        'SELECT pg_try_advisory_lock_shared($1) AS taken',
        [USERS_LOCK],
      );
      if (rows[0]?.taken === true) return { pid: file.pid, socketDir: file.socketDir, adopted, presence };
      // Its last user is stopping it.
      await presence.end();
      return 'starting';
    } catch (error) {
      await presence.end().catch(() => undefined);
      return (error as { code?: string }).code === CANNOT_CONNECT_NOW ? 'starting' : 'silent';
    }
  }

  /**
   * Whether the server reads back what we just wrote into the folder. A copied data folder contains the original's
   * `postmaster.pid`, which leads to the original's server.
   */
  private async servesThisFolder(client: pg.Client): Promise<boolean> {
    const name = `tradepost.${randomUUID()}`;
    const path = join(this.clusterDir, name);
    await writeFile(path, name, { mode: 0o600, flag: 'wx' });
    try {
      await this.account.give(path);
      const { rows } = await client.query<{ content: string | null }>(
        'SELECT pg_read_file($1, true) AS content',
        [name],
      );
      return rows[0]?.content === name;
    } finally {
      await rm(path, { force: true });
    }
  }

  private async discard(file: PostmasterFile): Promise<void> {
    const current = await readPostmasterFile(this.clusterDir);
    if (current?.text === file.text) await rm(postmasterFilePath(this.clusterDir), { force: true });
  }

  private async socketFolder(wanted: string | undefined): Promise<string> {
    if (wanted === undefined || !(await restoreSocketFolder(wanted, this.account))) {
      return await makeSocketFolder(this.account);
    }
    const lockFile = socketLockPath(wanted);
    const pid = await readSocketLock(lockFile);
    if (pid !== undefined && (await occupantOf(pid, this.clusterDir)) === 'other')
      await rm(lockFile, { force: true });
    return wanted;
  }

  private async launch(socketDir: string): Promise<LaunchedServer> {
    const size = await stat(this.logFile).then(
      (log) => log.size,
      () => 0,
    );
    if (size > LOG_BYTES_MAX) await rename(this.logFile, `${this.logFile}.1`);
    const log = await open(this.logFile, 'a', 0o600);
    try {
      const logOffset = (await log.stat()).size;
      const child = spawn(
        this.binaries.postgres,
        serverArguments(await clusterArgument(this.clusterDir, this.account), socketDir),
        {
          ...this.account.spawnOptions,
          cwd: this.clusterDir,
          // Outside the terminal's process group: Ctrl-C reaches only the app, which commits before it stops the
          // server.
          detached: true,
          stdio: ['ignore', log.fd, log.fd],
        },
      );
      child.unref();
      return new LaunchedServer(child, socketDir, this.logFile, logOffset);
    } finally {
      await log.close();
    }
  }

  private giveUp(file: PostmasterFile | undefined, launched: LaunchedServer | undefined): never {
    if (launched?.hasFailed)
      throw new StartRefusal(`The embedded PostgreSQL did not start: ${launched.lastWords}`);
    throw new StartRefusal(
      `DATA_DIR is held by a PostgreSQL (process ${file?.pid ?? 'unknown'}) that does not answer: end it, or choose another DATA_DIR. Its log is ${this.logFile}.`,
    );
  }
}

/** A server process of ours while it starts. */
class LaunchedServer {
  hasFailed = false;
  lastWords = '';

  constructor(
    private readonly child: ChildProcess,
    readonly socketDir: string,
    logFile: string,
    logOffset: number,
  ) {
    child.once('error', (error) => this.fail(error.message));
    child.once('exit', (code, signal) => {
      void readFile(logFile).then(
        (log) =>
          this.fail(lastWordsOf(log.subarray(logOffset).toString()) || `it ended with ${code ?? signal}`),
        () => this.fail(`it ended with ${code ?? signal}`),
      );
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Whether the folder was still in use: by another process's server, or by remains of a killed one. */
  get wasTooEarly(): boolean {
    return /lock file .* already exists|shared memory block .* still in use/.test(this.lastWords);
  }

  isStarting(): boolean {
    return !this.hasFailed && this.child.exitCode === null && this.child.signalCode === null;
  }

  private fail(words: string): void {
    this.lastWords = words;
    this.hasFailed = true;
  }
}

/** Its last error message; a server that fails before it can log writes plain lines. */
function lastWordsOf(log: string): string {
  const complaints = [...log.matchAll(/(?:FATAL|PANIC): +(.*)/g)];
  return complaints.at(-1)?.[1] ?? log.trim().split('\n').slice(-PLAIN_LINES_MAX).join(' ');
}
