import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { SERVICE_FOLDER } from '../kit/module/shared-packages.js';
import { readyUrlIn } from './ready-line.js';

/** The service as `npm start` runs it. */
export const SERVICE_ENTRY = join(SERVICE_FOLDER, 'dist/bundle/main.js');
const LINES_KEPT_MAX = 20;
/** A first start makes a database cluster; more than this is no start. */
const START_MS_MAX = 120_000;

export interface ServiceProcessOptions {
  /** Another program than the service, which says that it is ready in the same words. */
  readonly entry?: string;
  readonly nodeArgs?: readonly string[];
  /** Where its data are; else in a folder of its own, which `stop` removes. */
  readonly dataDir?: string;
  /** On top of the defaults: a free port, a data folder that is removed afterwards, no rate limits. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gets what the service says. */
  readonly onLine?: (line: string) => void;
}

/** A service of the script's own, in a child process and a temporary data folder. */
export class ServiceProcess {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    readonly dataDir: string,
  ) {}

  /** Resolves once the service listens. Rejects with what it said where it does not come up. */
  static async start({
    entry,
    nodeArgs,
    dataDir: given,
    env,
    onLine,
  }: ServiceProcessOptions = {}): Promise<ServiceProcess> {
    const dataDir = given ?? (await mkdtemp(join(tmpdir(), 'tradepost-service-')));
    const child = spawn(process.execPath, [...(nodeArgs ?? []), entry ?? SERVICE_ENTRY], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Ctrl-C goes to the whole group of a terminal: the script ends its service itself.
      detached: true,
      env: {
        // The child's own settings begin with those of the test.
        // eslint-disable-next-line no-restricted-properties
        ...process.env,
        DATABASE_URL: '',
        DATA_DIR: dataDir,
        // Of its own folder it would make one, and another process on the same database needs the same.
        KEYSTORE_PASSPHRASE: 'of a script',
        PORT: '0',
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'warn',
        LOG_FORMAT: 'json',
        ...env,
      },
    });
    try {
      return new ServiceProcess(await urlOf(child, onLine), child, dataDir);
    } catch (error) {
      await end(child, 'SIGKILL');
      if (given === undefined) await rm(dataDir, { recursive: true, force: true });
      throw error;
    }
  }

  /** Resolves once the process has ended, however it came to that. */
  async ended(): Promise<void> {
    if (!hasEnded(this.child)) await once(this.child, 'exit');
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Stops it as an operator would, and removes its data. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Ends the process alone; its data stay until `stop`. */
  async end(signal: NodeJS.Signals): Promise<void> {
    await end(this.child, signal);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Reads the child's output, for as long as it lives, and resolves with the address that it tells. */
function urlOf(child: ChildProcess, onLine?: (line: string) => void): Promise<string> {
  const lines: string[] = [];
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => reject(new Error(`The service ${what}:\n${lines.join('\n')}`));
    const timer = setTimeout(() => fail(`did not start within ${START_MS_MAX / 1_000} s`), START_MS_MAX);
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => {
        onLine?.(line);
        lines.push(line);
        if (lines.length > LINES_KEPT_MAX) lines.shift();
        const url = readyUrlIn(line);
        if (url === undefined) return;
        clearTimeout(timer);
        resolve(url);
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`ended with code ${code} instead of starting`);
    });
  });
}
