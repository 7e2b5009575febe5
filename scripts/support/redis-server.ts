/** A `redis-server` of a script's or a test's own; one that the machine runs already is never touched. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { createClient } from 'redis';

export const REDIS_BINARY = 'redis-server';
const READY = 'Ready to accept connections';
const START_MS_MAX = 60_000;
const ATTEMPTS_MAX = 5;

export const isRedisInstalled = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, REDIS_BINARY)));

export class RedisServer {
  private constructor(
    readonly port: number,
    private readonly dir: string,
    private child: ChildProcess,
  ) {}

  /** On a free port, without anything on disk. */
  static async start(): Promise<RedisServer> {
    const dir = await mkdtemp(join(tmpdir(), 'tradepost-redis-'));
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      try {
        return new RedisServer(port, dir, await spawnRedis(port, dir));
      } catch (error) {
        // Somebody else may have taken the port meanwhile.
        if (attempt < ATTEMPTS_MAX) continue;
        await rm(dir, { recursive: true, force: true });
        throw error;
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Ends it as a crash would; `revive` starts it again. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
  }

  /** Starts it again on the same port, empty. */
  async revive(): Promise<void> {
    await this.kill();
    this.child = await spawnRedis(this.port, this.dir);
  }

  /** Freezes it: connections stay, nothing is answered. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  async flush(): Promise<void> {
    const client = createClient({ url: this.url });
    await client.connect();
    await client.flushAll();
    await client.close();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function spawnRedis(port: number, dir: string): Promise<ChildProcess> {
  const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'no', dir };
  const child = spawn(
    REDIS_BINARY,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), START_MS_MAX);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.includes(READY)) continue;
      // What else it says is read and thrown away, or it would stand still once the pipe is full.
      child.stdout.resume();
      return child;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`${REDIS_BINARY} did not start on port ${port}`);
}
