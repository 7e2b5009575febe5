import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * What happens to the next commit at the proxy.
 * - `lose the request`: the server never receives it
 * - `lose the answer`: the server executes it, but the client gets no answer
 * - `lose the line`: the same, and the server does not even notice that the connection is gone
 */
export type Mishap = 'lose the request' | 'lose the answer' | 'lose the line';

/** Which message is affected: the statement that writes a batch, or the COMMIT after a batch of several statements. */
export type Moment = 'core-commit' | 'COMMIT';

/** Stands between the writer and PostgreSQL, and breaks connections at critical moments. */
export class CuttingProxy {
  private next: { readonly mishap: Mishap; readonly moment: Moment } | undefined;
  private isShut = false;
  /** Server-side ends of connections that the server must believe to be alive. */
  private readonly abandoned: Socket[] = [];
  /** The number of commits that were broken. */
  mishaps = 0;

  private constructor(
    private readonly server: Server,
    /** The database's address through the proxy. */
    readonly url: string,
  ) {}

  /** `databaseUrl` names a unix socket, as the embedded database's does. */
  static async open(databaseUrl: string): Promise<CuttingProxy> {
    const target = new URL(databaseUrl);
    const socketDir = target.searchParams.get('host') ?? decodeURIComponent(target.hostname);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `postgres://${target.username || 'tradepost'}@127.0.0.1:${port}${target.pathname}`;
    const proxy = new CuttingProxy(server, url);
    server.on('connection', (client) => proxy.accept(client, `${socketDir}/.s.PGSQL.5432`));
    return proxy;
  }

  /** Breaks the connection of the next commit in this way. */
  spoilNextCommit(mishap: Mishap, moment: Moment = 'core-commit'): void {
    this.next = { mishap, moment };
  }

  /** Refuses all connections, until `reopen`. */
  shut(): void {
    this.isShut = true;
  }

  reopen(): void {
    this.isShut = false;
  }

  async close(): Promise<void> {
    this.server.close();
    for (const socket of this.abandoned) socket.destroy();
    await once(this.server, 'close');
  }

  private accept(client: Socket, socketPath: string): void {
    client.on('error', () => undefined);
    if (this.isShut) {
      client.destroy();
      return;
    }
    const server = connect(socketPath);
    server.on('error', () => undefined);
    let mishap: Mishap | undefined;
    client.on('close', () => {
      if (mishap !== 'lose the line') server.destroy();
    });
    server.on('close', () => client.destroy());
    server.on('data', (bytes) => {
      if (mishap === undefined) client.write(bytes);
      else client.destroy();
    });
    client.on('data', (bytes) => {
      if (this.next !== undefined && bytes.includes(this.next.moment)) {
        mishap = this.next.mishap;
        this.next = undefined;
        this.mishaps++;
        if (mishap === 'lose the line') this.abandoned.push(server);
        if (mishap !== 'lose the answer') client.destroy();
      }
      if (mishap === undefined || mishap === 'lose the answer') server.write(bytes);
    });
  }
}
