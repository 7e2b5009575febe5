import { STATUS_CODES, type IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { WebSocketServer } from 'ws';
import { CONFIG, type Config } from '../config/config.js';
import { StartRefusal } from '../config/start-refusal.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { Readiness } from '../server/readiness.js';
import { isAllowedOrigin } from './allowed-origin.js';
import { ConnectionLimits } from './connection-limits.js';
import { OpenStreams } from './open-streams.js';
import { PlainSocket, type PlainSocketOptions } from './plain-socket.js';

/** The largest message that a client may send. */
const MESSAGE_BYTES_MAX = 64 * 1024;
/** The service stops; clients may connect to another process. */
const SERVICE_RESTART = 1012;

/** Where clients may open WebSockets, and what they may do there. */
export interface PlainSocketRoute extends Pick<PlainSocketOptions, 'framesPerSecondMax' | 'pingEveryMs'> {
  /** Such as `/acme/ws`: this path, and all below it. */
  readonly path: string;
  /** Gets each client, before it has sent anything. */
  connect(socket: PlainSocket, request: IncomingMessage): void;
}

/**
 * WebSockets for plugins whose clients do not speak socket.io: on the server of all requests, by the same rules about
 * origins and within the same numbers of connections. Injectable everywhere, also in plugins.
 */
@Injectable()
export class PlainSockets {
  private readonly routes: PlainSocketRoute[] = [];
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
  });

  constructor(
    private readonly adapter: HttpAdapterHost,
    @Inject(CONFIG) private readonly config: Config,
    private readonly readiness: Readiness,
    private readonly limits: ConnectionLimits,
    private readonly rates: RateLimits,
    private readonly openStreams: OpenStreams,
  ) {}

  /** To be called once for each route while the service starts, as in `onModuleInit`. */
  serve(route: PlainSocketRoute): void {
    if (this.routes.some(({ path }) => isAtOrBelow(path, route.path) || isAtOrBelow(route.path, path))) {
      throw new StartRefusal(`Two plugins serve WebSockets at ${route.path}.`);
    }
    if (this.routes.length === 0) this.listen();
    this.routes.push(route);
  }

  private listen(): void {
    const http = this.adapter.httpAdapter.getHttpServer() as Server;
    http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const path = request.url?.split('?', 1)[0] ?? '';
      const route = this.routes.find((each) => isAtOrBelow(path, each.path));
      // Other paths are socket.io's.
      if (route !== undefined) this.upgrade(route, request, socket, head);
    });
    this.openStreams.add(() => {
      for (const client of this.server.clients) client.close(SERVICE_RESTART);
    });
  }

  private upgrade(route: PlainSocketRoute, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the library takes over, nobody else listens for a connection that breaks.
    const ignore = (): void => undefined;
    socket.on('error', ignore);
    const refusal = this.refusalOf(request);
    if (refusal !== undefined) {
      socket.end(
        `HTTP/1.1 ${refusal} ${STATUS_CODES[refusal]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      );
      return;
    }
    this.server.handleUpgrade(request, socket, head, (client) => {
      socket.off('error', ignore);
      client.once('close', this.limits.count(request));
      const address = this.rates.addressOf(request);
      const plain = new PlainSocket(client, { ...route, address });
      plain.attempt(() => route.connect(plain, request));
    });
  }

  private refusalOf(request: IncomingMessage): number | undefined {
    if (this.readiness.isDraining) return 503;
    if (!isAllowedOrigin(request, this.config)) return 403;
    return this.limits.refusalOf(request)?.status;
  }
}

function isAtOrBelow(path: string, route: string): boolean {
  return path === route || path.startsWith(`${route}/`);
}
