import { once } from 'node:events';
import { WebSocket } from 'ws';
import { eventually } from '../eventually.js';
import type { Json } from '../caller.js';

/** A WebSocket of JSON texts that keeps everything it got. */
export class StreamClient {
  readonly received: Json[] = [];
  closeCode: number | undefined;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.received.push(JSON.parse(data.toString('utf8'))));
    socket.on('close', (code) => (this.closeCode = code));
    socket.on('error', () => undefined);
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<StreamClient> {
    const socket = new WebSocket(url, { headers });
    const client = new StreamClient(socket);
    await once(socket, 'open');
    return client;
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** The first message that fits, also of those that came before. */
  async first(fits: (message: Json) => boolean): Promise<Json> {
    await eventually(() => {
      if (!this.received.some(fits))
        throw new Error(`not among ${JSON.stringify(this.received).slice(-500)}`);
    });
    return this.received.find(fits);
  }

  async request(message: Json): Promise<Json> {
    this.send(message);
    return this.first(({ id }) => id === message.id);
  }

  /** Stops reading, as a client does that is too slow. */
  pause(): void {
    this.socket.pause();
  }

  close(): void {
    this.socket.terminate();
  }
}
