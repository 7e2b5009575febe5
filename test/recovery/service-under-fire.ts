import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ApiClient } from '../../scripts/support/api-client.js';
import { EmbeddedPostgres } from '../../src/platform/database/embedded/embedded-postgres.js';
import { readPostmasterFile } from '../../src/platform/database/embedded/postmaster-file.js';
import { socketUrl } from '../../src/platform/database/embedded/socket-folder.js';
import { queryOnce } from '../support/core.js';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const SERVICE = join(PROJECT, 'dist/src/main.js');
const VERIFY = join(PROJECT, 'dist/scripts/journal-verify.js');
const CHECK_CHAINS = join(PROJECT, 'dist/scripts/chain-check.js');
const READY_LINE = /^Tradepost serves (\S+)/;
const START_MS_MAX = 45_000;
const STOP_MS_MAX = 30_000;

/** A data folder with an embedded database in it, and the processes that a test runs on it. */
export class Site {
  private readonly processes = new Set<ServiceProcess>();

  private constructor(
    readonly dataDir: string,
    private readonly settings: NodeJS.ProcessEnv,
  ) {}

  /** `settings` are added to those that every site has. */
  static async open(settings: NodeJS.ProcessEnv = {}): Promise<Site> {
    if (!existsSync(SERVICE)) throw new Error('the service is not built; run node scripts/ensure-built.mjs');
    return new Site(await mkdtemp(join(tmpdir(), 'tradepost-recovery-')), settings);
  }

  /** Runs the built service on this data; resolves once it listens. */
  start(): Promise<ServiceProcess> {
    return this.run(process.execPath, [SERVICE]);
  }

  /** The same by `npm start`. */
  startByNpm(): Promise<ServiceProcess> {
    return this.run('npm', ['start']);
  }

  private async run(command: string, args: readonly string[]): Promise<ServiceProcess> {
    const service = this.launch(command, args);
    await service.listening();
    return service;
  }

  /** As `start`, without waiting for anything. */
  launch(command: string = process.execPath, args: readonly string[] = [SERVICE]): ServiceProcess {
    const child = spawn(command, args, {
      cwd: PROJECT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: this.environment(),
      // npm and what it starts are a group, which can be signalled as a terminal signals the one in front.
      detached: command === 'npm',
    });
    const service = new ServiceProcess(child);
    this.processes.add(service);
    return service;
  }

  /** The exit code of `journal:verify` and what it said. */
  verify(...options: string[]): Promise<{ code: number; said: string }> {
    return this.report(VERIFY, options);
  }

  /** The exit code of `chain:check` and what it said. */
  checkChains(): Promise<{ code: number; said: string }> {
    return this.report(CHECK_CHAINS, []);
  }

  private async report(script: string, options: readonly string[]): Promise<{ code: number; said: string }> {
    const child = spawn(process.execPath, [script, ...options], {
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

  /** Asks the embedded database directly, as nobody but its owner can. */
  async query<Row extends Record<string, unknown>>(text: string, values: unknown[] = []): Promise<Row[]> {
    const file = await readPostmasterFile(join(this.dataDir, 'postgres'));
    if (file?.socketDir === undefined) throw new Error('no embedded database runs');
    return queryOnce<Row>(socketUrl(file.socketDir, 'tradepost'), text, values);
  }

  /** Asks a server that may still be recovering from the blow before. */
  private async queryOnceUp<Row extends Record<string, unknown>>(text: string): Promise<Row[]> {
    const deadlineMs = Date.now() + START_MS_MAX;
    for (;;) {
      try {
        return await this.query<Row>(text);
      } catch (error) {
        if (Date.now() > deadlineMs) throw error;
        await delay(50);
      }
    }
  }

  /**
   * Finds every process of the embedded server, so that all of them can be killed in one moment, the
   * writer's first. With the first process alone, the others would finish what they are at before they end.
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

  /** Makes every commit of the writer linger before it is durable, so that a blow at any moment meets one on its way. */
  async slowCommits(lingerMs: number): Promise<void> {
    await this.query(`
      CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM pg_sleep(${lingerMs / 1_000}); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON journal
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION linger()`);
  }

  /** Cuts the writer's connection from the server's side; returns how many there were. */
  async cutWriter(): Promise<number> {
    const cut = await this.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tradepost-writer'`,
    );
    return cut.length;
  }

  /** Ends every process that is still there, and removes the data. */
  async close(): Promise<void> {
    for (const service of this.processes) {
      service.signal('SIGCONT');
      await service.stop();
    }
    const file = await readPostmasterFile(join(this.dataDir, 'postgres'));
    // A server whose users were all killed lives on; whoever joins it and leaves it as its last user ends it.
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
        this.output.push(line);
        this.url ||= READY_LINE.exec(line)?.[1] ?? '';
      });
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** The end of what it said, for messages about failures. */
  get lastWords(): string {
    return this.output.slice(-20).join('\n');
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async listening(): Promise<void> {
    const deadlineMs = Date.now() + START_MS_MAX;
    while (this.url === '') {
      if (!this.isRunning || Date.now() > deadlineMs) {
        this.signal('SIGKILL');
        throw new Error(`the service did not start:\n${this.lastWords}`);
      }
      await delay(10);
    }
  }

  client(): ApiClient {
    return new ApiClient(this.url);
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.child.kill(signal);
  }

  /** Ctrl-C: every process that the command has started hears of it, and npm tells its own again. */
  async interruptAll(): Promise<number | null> {
    process.kill(-this.pid, 'SIGINT');
    return this.exited;
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.signal('SIGTERM');
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_MS_MAX);
    const code = await this.exited;
    clearTimeout(timer);
    return code;
  }
}
