import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SERVICE_FOLDER } from '../kit/module/shared-packages.js';
import { ServiceProcess } from './service-process.js';
import { copyFolder, templateFolder } from './template.js';
import { TestClient } from './test-client.js';
import { TestDatabase } from './test-database.js';

export interface TestServiceOptions {
  /** As in `PLUGINS`: packages, folders or files; of your own by `new URL('./plugin.js', import.meta.url)`. */
  readonly plugins?: readonly (string | URL)[];
  /** Settings of the service and of plugins, by their names. */
  readonly settings?: Readonly<Record<string, string>>;
}

const SETTINGS = {
  NODE_ENV: 'test',
  SEED_DEMO: 'true',
  // A log-in takes no memory worth speaking of.
  PASSWORD_MEMORY_KIB: '8',
};
/** Settings that a first start goes by. */
const OF_FIRST_START = /^(?:NODE_ENV|SEED_DEMO|BOOTSTRAP_|KEYSTORE_|PASSWORD_|FOUR_EYES)/;
const READY_MS_MAX = 60_000;
const READY_EVERY_MS = 20;
/** Sets the wall clock of a process; nothing but tests loads it. */
const SHIFTED_DATE = pathToFileURL(join(SERVICE_FOLDER, 'dist/src/testing/shifted-date.js')).href;

/**
 * The whole service as users run it: in processes of its own, on a real PostgreSQL in a folder that is removed at the end,
 * with the demo's users, markets and accounts, and without rate limits.
 */
export class TestService {
  private running: ServiceProcess[] = [];
  private wanted = 1;
  private aheadMs = 0;

  private constructor(
    private readonly folder: string,
    private readonly database: TestDatabase,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Rejects with what the service said where it does not start. */
  static async start({ plugins = [], settings = {} }: TestServiceOptions = {}): Promise<TestService> {
    const first = {
      ...SETTINGS,
      ...Object.fromEntries(Object.entries(settings).filter(([name]) => OF_FIRST_START.test(name))),
    };
    const template = await templateFolder(first);
    const folder = await mkdtemp(join(tmpdir(), 'tradepost-test-'));
    await copyFolder(template, folder);
    const service = new TestService(folder, await TestDatabase.open(folder), {
      ...SETTINGS,
      PLUGINS: plugins.map((plugin) => (plugin instanceof URL ? fileURLToPath(plugin) : plugin)).join(','),
      ...settings,
    });
    try {
      await service.processes(1);
      return service;
    } catch (error) {
      await service.close();
      throw error;
    }
  }

  /** Of the first process, without a slash at the end. */
  get url(): string {
    const [first] = this.running;
    if (first === undefined) throw new Error('The service does not run: restart it.');
    return first.url;
  }

  /** Of the whole service and its database. */
  readonly clock = {
    /**
     * Lets time pass for what waits by it: orders, sessions, schedules, retention. The processes are started again, since time
     * cannot be made to pass in one that runs; how long that takes passes, too.
     */
    advance: async (ms: number): Promise<void> => {
      if (!Number.isSafeInteger(ms) || ms < 0)
        throw new RangeError(`Time goes on by whole milliseconds, not by ${ms}.`);
      await this.end('SIGTERM');
      this.aheadMs += ms;
      await this.database.setAhead(this.aheadMs);
      await this.processes(this.wanted);
    },
  };

  /** Lets so many processes run on the one database; the addresses of all. Orders pass between them where `REDIS_URL` is set. */
  async processes(count: number): Promise<string[]> {
    this.wanted = count;
    await Promise.all(this.running.splice(count).map((process) => process.end('SIGTERM')));
    while (this.running.length < count) this.running.push(await this.startProcess());
    const known = new AbortController();
    const ready = this.running.map(({ url }) => isReady(url, known.signal));
    // Without Redis one serves, and the others wait for its end.
    await (this.env['REDIS_URL'] === undefined ? Promise.any(ready) : Promise.all(ready));
    known.abort();
    return this.running.map(({ url }) => url);
  }

  /** Asks the database itself, such as for what a plugin has written in its tables. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    return this.database.query<Row>(text, values);
  }

  /** Who has not logged in. */
  get anonymous(): TestClient {
    return new TestClient(() => this.url, null);
  }

  /** A user who logs in, such as `alice` of the demo; the session goes on after `restart`. */
  async as(username: string, password = `${username}-password`): Promise<TestClient> {
    const credentials = Buffer.from(`${username}:${password}`).toString('base64');
    const answer = await this.anonymous.call('GET', '/user/login', undefined, {
      authorization: `Basic ${credentials}`,
    });
    if (answer.status !== 200) throw new Error(`${username} cannot log in: ${JSON.stringify(answer.body)}`);
    return new TestClient(() => this.url, answer.body as string);
  }

  /**
   * Ends all processes, or one of several by its place, as a power failure would: nothing is drained, and what was not
   * committed is lost. The others go on; `processes` or `restart` start as many as were asked for again.
   */
  async kill(place?: number): Promise<void> {
    const ending = place === undefined ? this.running.splice(0) : this.running.splice(place, 1);
    await Promise.all(ending.map((process) => process.end('SIGKILL')));
  }

  /** Starts as many processes again on the same database, after `kill` or in place of those that run. */
  async restart(): Promise<void> {
    await this.end('SIGTERM');
    await this.processes(this.wanted);
  }

  /** Stops all, and removes the database. */
  async close(): Promise<void> {
    await this.end('SIGTERM');
    await this.database.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private startProcess(): Promise<ServiceProcess> {
    const nodeArgs = this.aheadMs === 0 ? [] : ['--import', `${SHIFTED_DATE}?ahead_ms=${this.aheadMs}`];
    return ServiceProcess.start({ dataDir: this.folder, env: this.env, nodeArgs });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const ending = this.running.splice(0);
    await Promise.all(ending.map((process) => process.end(signal)));
  }
}

/** A process that listens may wait for the lock of one that was killed. */
async function isReady(url: string, signal: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + READY_MS_MAX;
  while (!signal.aborted && performance.now() < deadlineMs) {
    const answer = await fetch(`${url}/health/ready`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    await delay(READY_EVERY_MS);
  }
  throw new Error(`The service at ${url} is not ready: GET /health/ready says why.`);
}
