import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What browsers reach the service through, which can be pulled out. */
export class NetworkCable {
  private target = 0;
  private isCut = false;
  private readonly ends = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('connection', (near) => this.accept(near));
  }

  static async lay(): Promise<NetworkCable> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new NetworkCable(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  plugInto(url: string): void {
    this.target = Number(new URL(url).port);
  }

  /** Breaks all connections, and lets none through until it is mended. */
  cut(): void {
    this.isCut = true;
    for (const end of this.ends) end.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private accept(near: Socket): void {
    if (this.isCut) {
      near.destroy();
      return;
    }
    const far = connect(this.target, '127.0.0.1');
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.ends.add(end);
      end.on('error', () => undefined);
      end.on('close', () => {
        this.ends.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
  }
}
