import { isDeepStrictEqual } from 'node:util';
import type { WsMessageHandler } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Namespace, Server, ServerOptions, Socket } from 'socket.io';
import { StartRefusal } from '../config/start-refusal.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import type { SocketData } from '../security/current-principal.js';
import type { Config } from '../config/config.js';
import { Readiness } from '../server/readiness.js';
import { isAllowedOrigin } from './allowed-origin.js';
import { ConnectionLimits } from './connection-limits.js';
import { FanOutAdapter } from './fan-out-adapter.js';
import { OpenStreams } from './open-streams.js';
import { SocketAuthentication } from './socket-authentication.js';
import type { SocketAdmission, SocketGatewayOptions } from './socket-gateway.js';
import { handleMessages } from './socket-messages.js';
import { tcpSocketOf, writeTogether } from './write-together.js';

/** The largest frame that a client may send. */
export const FRAME_BYTES_MAX = 64 * 1024;
/** For a client that connects without choosing a namespace. */
const CONNECT_TIMEOUT_MS = 10_000;

/** socket.io beside the HTTP API, on its server and within its limits. */
export class RealtimeAdapter extends IoAdapter {
  private readonly openStreams: OpenStreams;
  private readonly readiness: Readiness;
  private readonly limits: ConnectionLimits;
  /** Several gateways may share a namespace. */
  private readonly admissions = new Map<string, SocketAdmission>();
  private readonly authentication: SocketAuthentication;
  private readonly rates: RateLimits;

  constructor(
    nest: NestExpressApplication,
    private readonly config: Config,
  ) {
    super(nest);
    this.openStreams = nest.get(OpenStreams);
    this.readiness = nest.get(Readiness);
    this.limits = nest.get(ConnectionLimits);
    this.rates = nest.get(RateLimits);
    this.authentication = nest.get(SocketAuthentication, { strict: false });
  }

  /** A namespace, or the server of all of them, with the options of the gateway that asks for it. */
  override create(port: number, options?: ServerOptions & Partial<SocketGatewayOptions>): Server {
    const { admission, ...others }: Partial<SocketGatewayOptions> = options ?? {};
    const created: unknown = super.create(port, others as ServerOptions);
    if (others.namespace !== undefined) this.guard(created as Namespace, admission);
    return created as Server;
  }

  private guard(namespace: Namespace, admission: SocketAdmission | undefined): void {
    if (admission === undefined) {
      throw new StartRefusal(
        `The namespace ${namespace.name} needs @SocketGateway, which says who may connect.`,
      );
    }
    const known = this.admissions.get(namespace.name);
    this.admissions.set(namespace.name, admission);
    if (known !== undefined && !isDeepStrictEqual(known, admission)) {
      throw new StartRefusal(`Two gateways of the namespace ${namespace.name} admit different callers.`);
    }
    if (known === undefined && admission !== 'anyone') this.authentication.require(namespace, admission);
  }

  override createIOServer(port: number, options?: ServerOptions): Server {
    const server = super.createIOServer(port, {
      ...(options as ServerOptions),
      serveClient: false,
      adapter: FanOutAdapter,
      maxHttpBufferSize: FRAME_BYTES_MAX,
      connectTimeout: CONNECT_TIMEOUT_MS,
      // Each event is encoded once for all its receivers; compressing it for each would undo that.
      perMessageDeflate: false,
      httpCompression: false,
      cors: { origin: [...this.config.corsOrigins] },
      allowRequest: (request, decide) => {
        const isAllowed = !this.readiness.isDraining && isAllowedOrigin(request, this.config);
        decide(null, isAllowed && this.limits.refusalOf(request) === undefined);
      },
    });
    server.engine.on('connection', (connection: Socket['conn']) => {
      connection.once('close', this.limits.count(connection.request));
    });
    // Before anything is handed to a transport.
    server.engine.on('flush', (conn: Socket['conn']) => {
      const tcpSocket = tcpSocketOf(conn);
      if (tcpSocket !== undefined) writeTogether(tcpSocket);
    });
    this.openStreams.add(() => {
      server.disconnectSockets(true);
      server.engine.close();
    });
    return server;
  }

  override bindMessageHandlers(socket: Socket, handlers: readonly WsMessageHandler[]): void {
    const address = this.rates.addressOf(socket.request);
    handleMessages(socket, handlers, () => ({ user: (socket.data as SocketData).principal, ip: address }));
  }
}
