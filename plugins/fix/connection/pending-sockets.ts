import type { Socket } from 'node:net';

/** From the connection to a Logon that is accepted. */
const LOG_ON_MS_MAX = 10_000;
export const PENDING_MAX = 500;

interface Pending {
  /** Undefined until it is known: a proxy has yet to tell. */
  readonly network: string | undefined;
  readonly timer: NodeJS.Timeout;
}

/**
 * Sockets of clients that have not logged on. Where there are too many, of one network or of all, the oldest is hung up
 * on: who means to log on has done so by then, so that silent sockets keep nobody out.
 */
export class PendingSockets {
  /** The oldest first. */
  private readonly pending = new Map<Socket, Pending>();

  constructor(private readonly perNetworkMax: number) {}

  add(socket: Socket): void {
    if (this.pending.size >= PENDING_MAX) this.hangUp([...this.pending.keys()][0]!);
    const timer = setTimeout(() => this.hangUp(socket), LOG_ON_MS_MAX);
    this.pending.set(socket, { network: undefined, timer });
    socket.once('close', () => this.remove(socket));
  }

  /** Counts it where its client is. */
  locate(socket: Socket, network: string): void {
    const entry = this.pending.get(socket);
    if (entry === undefined) return;
    const fromThere = [...this.pending].filter(([, each]) => each.network === network);
    if (fromThere.length >= this.perNetworkMax) this.hangUp(fromThere[0]![0]);
    this.pending.set(socket, { ...entry, network });
  }

  /** Its client has logged on, or is gone. */
  remove(socket: Socket): void {
    clearTimeout(this.pending.get(socket)?.timer);
    this.pending.delete(socket);
  }

  /** Hangs up on all of them. */
  clear(): void {
    for (const socket of this.pending.keys()) this.hangUp(socket);
  }

  private hangUp(socket: Socket): void {
    this.remove(socket);
    socket.destroy();
  }
}
