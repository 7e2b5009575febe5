import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Connections that each send the same requests, over and over again, each waiting for its answer before the next. */
export interface Stream {
  readonly connections: number;
  /** Templates, in latin1; a connection begins where the one before it is. */
  readonly requests: readonly string[];
}

/** How often each status was answered; 0 is a connection that the service ended. */
export type Statuses = Readonly<Record<number, number>>;

const WORKER = fileURLToPath(new URL('./flood-worker.js', import.meta.url));

/** The process that attacks: whoever measures beside it does not wait for it. */
export class Flood {
  private readonly child: ChildProcess = fork(WORKER);

  /** Attacks until `stop`, which answers how the service took it. A client that is told to come later does so. */
  start(url: string, streams: readonly Stream[]): void {
    const { hostname, port } = new URL(url);
    this.child.send({ host: hostname, port: Number(port), streams });
  }

  async stop(): Promise<Statuses> {
    this.child.send('stop');
    const [statuses] = (await once(this.child, 'message')) as [Statuses];
    return statuses;
  }

  end(): void {
    this.child.kill();
  }
}
