import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EmbeddedPostgres } from '../kit/database/embedded/embedded-postgres.js';
import { ServiceProcess } from './service-process.js';
import { TestClient } from './test-client.js';

export interface TestServiceOptions {
  /** As in `PLUGINS`: packages, folders or files; of your own by `new URL('./plugin.js', import.meta.url)`. */
  readonly plugins?: readonly (string | URL)[];
  /** Settings of the service and of plugins, by their names. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * The whole service as users run it: in processes of its own, on a real PostgreSQL in a folder that is removed at the end,
 * with the demo's users, markets and accounts, and without rate limits.
 */
export class TestService {
  private running: ServiceProcess[] = [];
  private wanted = 1;
  /** Whether the database may run on without anybody who uses it. */
  private leftDatabase = false;

  private constructor(
    private readonly folder: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Rejects with what the service said where it does not start. */
  static async start({ plugins = [], settings = {} }: TestServiceOptions = {}): Promise<TestService> {
    const folder = await mkdtemp(join(tmpdir(), 'tradepost-test-'));
    const service = new TestService(folder, {
      NODE_ENV: 'test',
      SEED_DEMO: 'true',
      // A log-in takes no memory worth speaking of.
      PASSWORD_MEMORY_KIB: '8',
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

  /** Starts so many processes on the one database; the addresses of all. Orders pass between them where `REDIS_URL` is set. */
  async processes(count: number): Promise<string[]> {
    this.wanted = count;
    while (this.running.length < count) {
      this.running.push(await ServiceProcess.start({ dataDir: this.folder, env: this.env }));
    }
    return this.running.map(({ url }) => url);
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

  /** Ends all processes as a power failure would: nothing is drained, and what was not committed is lost. */
  async kill(): Promise<void> {
    this.leftDatabase = true;
    await this.end('SIGKILL');
  }

  /** Starts as many processes again on the same database, after `kill` or in place of those that run. */
  async restart(): Promise<void> {
    await this.end('SIGTERM');
    await this.processes(this.wanted);
  }

  /** Stops all, and removes the database. */
  async close(): Promise<void> {
    if (this.leftDatabase) {
      const logger = { log: () => undefined, warn: () => undefined };
      const database = await new EmbeddedPostgres({ dataDir: this.folder, logger }).start();
      await this.end('SIGTERM');
      await database.stop();
    }
    await this.end('SIGTERM');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const ending = this.running.splice(0);
    await Promise.all(ending.map((process) => process.end(signal)));
  }
}
