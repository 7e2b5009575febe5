import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import {
  MarketData,
  networkOf,
  PluginSettings,
  SignedKeys,
  StartRefusal,
  Trading,
} from '../../../src/index.js';
import { LogOnService } from '../log-on.service.js';
import { CONNECTIONS_PER_ADDRESS, HOST, MESSAGES_PER_SECOND, PORT } from '../settings.js';
import { SessionStore } from '../store/session-store.js';
import { FixConnection } from './fix-connection.js';

const CONNECTIONS_MAX = 1_000;
/** How long clients have to answer the Logout of a service that stops. */
const STOP_MS_MAX = 2_000;

/** Listens on `FIX_PORT`, where that is set. */
@Injectable()
export class FixListener implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('FIX');
  private readonly connections = new Map<FixConnection, string>();
  private server: Server | undefined;

  constructor(
    private readonly logOns: LogOnService,
    private readonly keys: SignedKeys,
    private readonly store: SessionStore,
    private readonly trading: Trading,
    private readonly marketData: MarketData,
    private readonly settings: PluginSettings,
  ) {}

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
    server.maxConnections = CONNECTIONS_MAX;
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
    const ends = [...this.connections.keys()].map((connection) => connection.end('The service stops.'));
    await Promise.race([Promise.allSettled(ends), delay(STOP_MS_MAX, undefined, { ref: false })]);
    for (const connection of this.connections.keys()) connection.destroy();
  }

  private accept(socket: Socket): void {
    const address = networkOf(socket.remoteAddress ?? '');
    const fromThere = [...this.connections.values()].filter((each) => each === address).length;
    if (fromThere >= this.settings.get(CONNECTIONS_PER_ADDRESS)) {
      socket.destroy();
      return;
    }
    const { logOns, keys, store, trading, marketData } = this;
    const messagesPerSecond = this.settings.get(MESSAGES_PER_SECOND);
    const connection = new FixConnection(
      socket,
      { logOns, keys, store, trading, marketData, messagesPerSecond },
      {
        onLogOn: (sessionId) => this.endOthers(connection, sessionId),
        onClose: () => this.connections.delete(connection),
      },
    );
    this.connections.set(connection, address);
  }

  /** The latest log-on has the session: those before it may be of a client that is gone. */
  private endOthers(connection: FixConnection, sessionId: string): void {
    for (const other of this.connections.keys()) {
      if (other !== connection && other.sessionId === sessionId) other.destroy();
    }
  }
}
