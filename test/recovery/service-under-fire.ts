import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { ApiClient } from '../../scripts/support/api-client.js';
import { readyUrlIn } from '../../src/testing/ready-line.js';
import { EmbeddedPostgres } from '../../src/kit/database/embedded/embedded-postgres.js';
import { readPostmasterFile } from '../../src/kit/database/embedded/postmaster-file.js';
import { socketUrl } from '../../src/kit/database/embedded/socket-folder.js';
import type { CoreConnection } from '../../src/core/leadership/leadership.js';
import { eventually, queryOnce } from '../support/core.js';
import { oneAtATime } from '../support/database.js';
import { makeServerFolder, SITE_PREFIX } from '../support/server-folder.js';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const BUILT_SERVICE = join(PROJECT, 'dist/bundle/main.js');
const START_MS_MAX = 120_000;
const STOP_MS_MAX = 60_000;

const run = promisify(execFile);

/** A data folder with an embedded database in it, and the processes that a test runs on it. */
export class Site {
  private readonly processes = new Set<ServiceProcess>();

  private constructor(
    readonly dataDir: string,
    private readonly settings: NodeJS.ProcessEnv,
    /** The program that its services run. */
    private readonly service: string,
  ) {}

  /** Where the service was started once, and stopped. `settings` are added to those that every site has. */
  static async open(settings: NodeJS.ProcessEnv = {}, service = BUILT_SERVICE): Promise<Site> {
    const site = await Site.empty(settings, service);
    await run('cp', ['-a', `${await Site.startedFolder(service)}/.`, site.dataDir]);
    return site;
  }

  /** Where no service has ever been started. */
  static async empty(settings: NodeJS.ProcessEnv = {}, service = BUILT_SERVICE): Promise<Site> {
    if (!existsSync(service)) throw new Error('the service is not built; run node scripts/ensure-built.mjs');
    return new Site(await makeServerFolder(SITE_PREFIX), settings, service);
  }

  /** What a first start leaves behind; made once a run. */
  private static async startedFolder(program: string): Promise<string> {
    const folder = join(inject('runFolder'), 'started-site');
    await oneAtATime('started-site', async () => {
      if (existsSync(folder)) return;
      const site = new Site(`${folder}.new`, {}, program);
      const service = await site.start();
      await service.stop();
      await rename(site.dataDir, folder);
    });
    return folder;
  }

  /**
   * Runs the built service, or another built one, on this data; resolves once it listens. `settings` apply to this
   * process alone.
   */
  start(settings: NodeJS.ProcessEnv = {}, entry = this.service): Promise<ServiceProcess> {
    return this.run(process.execPath, [entry], settings);
  }

  /** The same with `npm start`. */
  startByNpm(): Promise<ServiceProcess> {
    return this.run('npm', ['start']);
  }

  private async run(
    command: string,
    args: readonly string[],
    settings: NodeJS.ProcessEnv = {},
  ): Promise<ServiceProcess> {
    const service = this.launch(command, args, settings);
    await service.listening();
    return service;
  }

  /** Like `start`, without waiting. */
  launch(
    command: string = process.execPath,
    args: readonly string[] = [this.service],
    settings: NodeJS.ProcessEnv = {},
  ): ServiceProcess {
    const child = spawn(command, args, {
      cwd: PROJECT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...this.environment(), ...settings },
      // npm and its children form a process group, which can be signalled as a terminal does.
      detached: command === 'npm',
    });
    const service = new ServiceProcess(child);
    this.processes.add(service);
    return service;
  }

  /** Runs `tradepost journal verify`; returns its exit code and output. */
  verify(...options: string[]): Promise<{ code: number; said: string }> {
    return this.report('journal verify', options);
  }

  /** Runs `tradepost journal rebuild`; returns its exit code and output. */
  rebuild(...options: string[]): Promise<{ code: number; said: string }> {
    return this.report('journal rebuild', options);
  }

  /** Runs `tradepost journal archive`; returns its exit code and output. */
  archive(...options: string[]): Promise<{ code: number; said: string }> {
    return this.report('journal archive', options);
  }

  /** Runs `tradepost chain check`; returns its exit code and output. */
  checkChains(): Promise<{ code: number; said: string }> {
    return this.report('chain check', []);
  }

  private async report(command: string, options: readonly string[]): Promise<{ code: number; said: string }> {
    const child = spawn(process.execPath, [BUILT_SERVICE, ...command.split(' '), ...options], {
      cwd: PROJECT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.environment(),
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number];
    return { code, said };
  }

  /** Queries the embedded database directly, as its owner. */
  async query<Row extends Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return queryOnce<Row>(await this.databaseUrl(), text, values);
  }

  /** The present address of the embedded database. */
  async databaseUrl(): Promise<string> {
    const file = await readPostmasterFile(join(this.dataDir, 'postgres'));
    if (file?.socketDir === undefined) throw new Error('no embedded database runs');
    return socketUrl(file.socketDir, 'tradepost');
  }

  /** The number of commits that are not in the tables. */
  async commitsBehind(): Promise<number> {
    const [row] = await this.query<{ count: string }>(
      'SELECT count(*) FROM journal WHERE last_sequence > (SELECT sequence FROM core_projection)',
    );
    return Number(row!.count);
  }

  /** The positions of the tables and the journal, from a server that may still be recovering. */
  async progressOnceUp(): Promise<{ tables: number; journal: number }> {
    const [row] = await this.queryOnceUp<{ tables: string; journal: string }>(
      'SELECT p.sequence AS tables, l.last_sequence AS journal FROM core_projection p, core_leader l',
    );
    return { tables: Number(row!.tables), journal: Number(row!.journal) };
  }

  /** Whether a connection of the core waits within a statement, for this wait event or wait event type. */
  async isWaiting(connection: CoreConnection, waitEvent: string): Promise<boolean> {
    const waiting = await this.query(
      'SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND $2 IN (wait_event, wait_event_type)',
      [`tradepost-${connection}`, waitEvent],
    );
    return waiting.length > 0;
  }

  /** Queries a server that may still be recovering from a kill. */
  private async queryOnceUp<Row extends Record<string, unknown>>(text: string): Promise<Row[]> {
    const deadlineMs = performance.now() + START_MS_MAX;
    for (;;) {
      try {
        return await this.query<Row>(text);
      } catch (error) {
        if (performance.now() > deadlineMs) throw error;
        await delay(50);
      }
    }
  }

  /**
   * Finds every process of the embedded server, so that all can be killed at once, the writer's first. If only the
   * first process were killed, the others would finish their current work.
   */
  async aimAtPostgres(): Promise<{ kill(): void }> {
    const others = await this.queryOnceUp<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()
       ORDER BY application_name = 'tradepost-writer' DESC`,
    );
    const file = await readPostmasterFile(join(this.dataDir, 'postgres'));
    return {
      kill() {
        for (const pid of [...others.map((other) => other.pid), file!.pid]) killIfThere(pid);
      },
    };
  }

  /** Delays every commit of the writer before it is durable, so that a kill at any moment meets one in flight. */
  async slowCommits(lingerMs: number): Promise<void> {
    await this.query(`
      CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(${lingerMs / 1_000}); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON journal
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION linger()`);
  }

  /** Delays each window of the projector, and each part of the journal that a start brings up. */
  async slowProjection(lingerMs: number): Promise<void> {
    await this.query(`
      CREATE FUNCTION linger_in_tables() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(${lingerMs / 1_000}); RETURN NULL; END';
      CREATE TRIGGER linger AFTER INSERT ON orders EXECUTE FUNCTION linger_in_tables()`);
  }

  /** Ends a connection of the core from the server's side; returns how many there were. */
  async cut(connection: CoreConnection): Promise<number> {
    const cut = await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`,
      [`tradepost-${connection}`],
    );
    return cut.length;
  }

  /** Kills every remaining process, and removes the data. */
  async close(): Promise<void> {
    for (const service of this.processes) {
      service.signal('SIGCONT');
      await service.stop();
    }
    const file = await readPostmasterFile(join(this.dataDir, 'postgres'));
    // A server outlives its killed users; joining it and leaving as its last user stops it.
    if (file !== undefined) {
      const logger = { log: () => undefined, warn: () => undefined };
      await (await new EmbeddedPostgres({ dataDir: this.dataDir, logger }).start()).stop();
    }
    await rm(this.dataDir, { recursive: true, force: true });
  }

  private environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      NODE_ENV: 'development',
      DATABASE_URL: '',
      DATA_DIR: this.dataDir,
      PORT: '0',
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'error',
      LOG_FORMAT: 'json',
      ...this.settings,
    };
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** One process of the service. */
export class ServiceProcess {
  url = '';
  private readonly output: string[] = [];
  private readonly exited: Promise<number | null>;

  constructor(private readonly child: ChildProcess) {
    this.exited = once(child, 'exit').then(([code]) => code as number | null);
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => {
        // Readiness polls would flood the output.
        if (!line.includes('"/health/ready"')) this.output.push(line);
        this.url ||= readyUrlIn(line) ?? '';
      });
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The end of its output, for failure messages. */
  get lastWords(): string {
    return this.output.slice(-20).join('\n');
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async listening(): Promise<void> {
    const deadlineMs = performance.now() + START_MS_MAX;
    while (this.url === '') {
      if (!this.isRunning || performance.now() > deadlineMs) {
        this.signal('SIGKILL');
        throw new Error(`the service did not start:\n${this.lastWords}`);
      }
      await delay(10);
    }
  }

  /**
   * Until it serves. On a server of its own, PostgreSQL may still hold the lock of a killed process for a moment;
   * until then the next one is a standby.
   */
  async ready(): Promise<void> {
    await eventually(async () => (await fetch(`${this.url}/health/ready`)).ok, 'the service is ready');
  }

  client(): ApiClient {
    return new ApiClient(this.url);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.child.kill(signal);
  }

  /** Ctrl-C: signals every process of the command's group, and npm forwards the signal to its child again. */
  async interruptAll(): Promise<number | null> {
    process.kill(-this.pid, 'SIGINT');
    return this.exited;
  }

  /** A closed terminal: the kernel signals every process of the command's group. */
  async hangUp(): Promise<number | null> {
    process.kill(-this.pid, 'SIGHUP');
    return this.exited;
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** Sends SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_MS_MAX);
    const code = await this.exited;
    clearTimeout(timer);
    return code;
  }
}
