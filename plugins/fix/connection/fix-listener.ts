import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { MarketData, networkOf, Settings, SignedKeys, StartRefusal, Trading } from '../../../src/index.js';
import { LogOnService, RefusedLogOn } from '../log-on.service.js';
import {
  CONNECTIONS_PER_ADDRESS,
  HOST,
  MESSAGES_PER_SECOND,
  PORT,
  PROXY_PROTOCOL_FROM,
} from '../settings.js';
import { SessionStore } from '../store/session-store.js';
import { FixConnection } from './fix-connection.js';
import { isAmong } from './networks.js';
import { PendingSockets } from './pending-sockets.js';
import { takeProxyHeader } from './proxy-header.js';
import { hasRoom } from './session-room.js';

/** How long clients have to answer the Logout of a service that stops. */
const STOP_MS_MAX = 2_000;

/** Listens on `FIX_PORT`, where that is set. */
@Injectable()
export class FixListener implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('FIX');
  /** With the network of the client. */
  private readonly connections = new Map<FixConnection, string>();
  private readonly pending: PendingSockets;
  private server: Server | undefined;

  constructor(
    private readonly logOns: LogOnService,
    private readonly keys: SignedKeys,
    private readonly store: SessionStore,
    private readonly trading: Trading,
    private readonly marketData: MarketData,
    private readonly settings: Settings,
  ) {
    this.pending = new PendingSockets(settings.get(CONNECTIONS_PER_ADDRESS));
  }

  /** `undefined` where it does not listen. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  get connectionCount(): number {
    return this.connections.size;
  }

  async onApplicationBootstrap(): Promise<void> {
    const port = this.settings.get(PORT);
    if (port === undefined) return;
    const server = createServer((socket) => this.accept(socket));
    try {
      server.listen(port, this.settings.get(HOST));
      await once(server, 'listening');
    } catch (error) {
      throw new StartRefusal(`FIX_PORT ${port} cannot be listened on: ${(error as Error).message}.`, {
        cause: error,
      });
    }
    this.server = server;
    this.logger.log(`FIX sessions on port ${this.port}`);
  }

  async onModuleDestroy(): Promise<void> {
    this.server?.close();
    this.pending.clear();
    const ends = [...this.connections.keys()].map((connection) => connection.end('The service stops.'));
    await Promise.race([Promise.allSettled(ends), delay(STOP_MS_MAX, undefined, { ref: false })]);
    for (const connection of this.connections.keys()) connection.destroy();
  }

  private accept(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const proxies = this.settings.get(PROXY_PROTOCOL_FROM);
    if (proxies !== undefined && !isAmong(proxies, address)) {
      socket.destroy();
      return;
    }
    this.pending.add(socket);
    // What goes wrong with a socket closes it.
    socket.on('error', () => undefined);
    if (proxies === undefined) this.serve(socket, address);
    else takeProxyHeader(socket, (header) => this.serve(socket, header.address ?? address));
  }

  /** Speaks with a client whose address is known. */
  private serve(socket: Socket, address: string): void {
    const network = networkOf(address);
    if (!this.isRoomFor(network)) {
      socket.destroy();
      return;
    }
    this.pending.locate(socket, network);
    const { logOns, keys, store, trading, marketData } = this;
    const messagesPerSecond = this.settings.get(MESSAGES_PER_SECOND);
    const connection = new FixConnection(
      socket,
      address,
      { logOns, keys, store, trading, marketData, messagesPerSecond },
      {
        onLogOn: (owner, sessionId) => {
          // Clients that were silent together may log on together.
          if (!this.isRoomFor(network, owner, sessionId))
            throw new RefusedLogOn('There are too many sessions.');
          this.pending.remove(socket);
          this.endOthers(connection, sessionId);
        },
        onClose: () => this.connections.delete(connection),
      },
    );
    this.connections.set(connection, network);
  }

  /** Whether one more may log on from there; the session that it goes on with does not count. */
  private isRoomFor(network: string, owner?: string, sessionId?: string): boolean {
    const taken = [...this.connections].flatMap(([other, each]) =>
      other.sessionId === undefined || other.sessionId === sessionId
        ? []
        : [{ network: each, owner: other.owner }],
    );
    return hasRoom(taken, { network, owner }, this.settings.get(CONNECTIONS_PER_ADDRESS));
  }

  /** The latest log-on has the session: those before it may be of a client that is gone. */
  private endOthers(connection: FixConnection, sessionId: string): void {
    for (const other of this.connections.keys()) {
      if (other !== connection && other.sessionId === sessionId) other.destroy();
    }
  }
}
