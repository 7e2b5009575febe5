import { createWriteStream, type WriteStream } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceProcess } from '../../src/testing/service-process.js';
import type { Backend } from './balancer.js';

const RESTART_AFTER_MS = 2_000;

export interface MemberOptions {
  /** What belongs to this process alone: its pid file and its log. */
  readonly dir: string;
  /** What all of them share: uploaded files. */
  readonly filesDir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly say: (line: string) => void;
}

/** One process of the cluster. If it ends unexpectedly, it is restarted after a moment. */
export class ClusterMember implements Backend {
  private process: ServiceProcess | undefined;
  private restarting: Promise<void> | undefined;
  private readonly stopped = new AbortController();

  private constructor(
    readonly name: string,
    private readonly options: MemberOptions,
    private readonly log: WriteStream,
  ) {}

  static async start(name: string, options: MemberOptions): Promise<ClusterMember> {
    await mkdir(options.dir, { recursive: true });
    // A file appears under its name by a link and never changes, so several processes may share the folder.
    await symlink(options.filesDir, join(options.dir, 'files'));
    const log = createWriteStream(join(options.dir, 'service.log'), { flags: 'a' });
    const member = new ClusterMember(name, options, log);
    await member.run();
    return member;
  }

  get url(): string | undefined {
    return this.process?.url;
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** As an operator would: it hands over, answers what it has, and ends. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.restarting;
    await this.process?.stop();
    this.log.end();
  }

  private async run(): Promise<void> {
    const { dir, env } = this.options;
    const process = await ServiceProcess.start({
      env: { ...env, DATA_DIR: dir },
      onLine: (line) => this.log.write(`${line}\n`),
    });
    this.process = process;
    void process.ended().then(() => {
      if (this.stopped.signal.aborted) return;
      this.process = undefined;
      this.restarting = this.restart(process);
    });
  }

  private async restart(ended: ServiceProcess): Promise<void> {
    const { say } = this.options;
    say(`${this.name} (pid ${ended.pid}) has ended; it starts again in ${RESTART_AFTER_MS / 1_000} s`);
    await ended.stop();
    const { signal } = this.stopped;
    for (;;) {
      await delay(RESTART_AFTER_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.run();
        say(`${this.name} is back at ${this.url} (pid ${this.pid})`);
        return;
      } catch (error) {
        say(`${this.name}: ${(error as Error).message}`);
      }
    }
  }
}
