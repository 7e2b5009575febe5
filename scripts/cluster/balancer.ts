import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { createProxyServer, type ProxyServer } from 'httpxy';

const PROBE_EVERY_MS = 200;
const PROBE_MS_MAX = 1_000;
/** Larger bodies are passed on as they come, and are not sent again. */
const KEPT_BODY_BYTES_MAX = 1_000_000;

/** One process of the service. */
export interface Backend {
  /** Undefined while it does not run. */
  readonly url: string | undefined;
}

/**
 * A small balancer for a try on one machine: each request goes to the next process that says it is ready. A request
 * that was refused a connection has reached nobody, so it goes to the next one; whatever else fails is told to the
 * client, which repeats it by its key. Answers pass as they come, so server-sent events do; WebSockets are connected
 * through. Requests of one socket.io client over HTTP polling must reach one process, so clients here use WebSockets.
 */
export class Balancer {
  private readonly proxy: ProxyServer;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private ready: readonly string[] = [];
  private turn = 0;
  private probing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  private constructor(private readonly backends: readonly Backend[]) {
    // A connection for each request: one that is kept may end just when the next request is sent on it.
    this.proxy = createProxyServer({ agent: false, xfwd: true });
    this.proxy.on('proxyRes', (answer) => delete answer.headers.connection);
    // Each side of a WebSocket ends with the other, however that ends.
    this.proxy.on('proxyReqWs', (asked, _request, client) => {
      asked.once('upgrade', (_answer, service) => {
        client.once('close', () => service.destroy());
        service.once('close', () => client.destroy());
      });
    });
    this.server = createServer((request, response) => void this.pass(request, response));
    this.server.on('upgrade', (request, socket: Socket, head: Buffer) => this.connect(request, socket, head));
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** Listens on 127.0.0.1; on port 0 on a free one. Rejects where the port is taken. */
  static async start(backends: readonly Backend[], port: number): Promise<Balancer> {
    const balancer = new Balancer(backends);
    balancer.server.listen(port, '127.0.0.1');
    await once(balancer.server, 'listening');
    await balancer.probe();
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Checks all processes in parallel for readiness, repeatedly. */
  async probe(): Promise<void> {
    clearTimeout(this.timer);
    const urls = this.backends.flatMap(({ url }) => url ?? []);
    const answers = await Promise.all(urls.map(isReady));
    this.ready = urls.filter((_, index) => answers[index]);
    this.timer = setTimeout(() => {
      this.probing = this.probe();
    }, PROBE_EVERY_MS);
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await this.probing;
    clearTimeout(this.timer);
    await closed;
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    claimClient(request);
    const body = await keptBodyOf(request);
    const tried = new Set<string>();
    for (let url = this.next(tried); url !== undefined; url = this.next(tried)) {
      tried.add(url);
      const failure = await this.passTo(url, request, response, body);
      if (failure?.code === 'ECONNREFUSED' && body !== null) continue;
      if (failure !== undefined)
        answerUnavailable(response, 'outcome_unknown', 'The process that had the request is gone.');
      return;
    }
    answerUnavailable(response, 'temporarily_unavailable', 'No process takes requests at the moment.');
  }

  /** Resolves once the request is answered, or with the error that prevented it. */
  private passTo(
    target: string,
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer | null,
  ): Promise<NodeJS.ErrnoException | undefined> {
    const buffer = body === null ? undefined : Readable.from(body.length === 0 ? [] : [body]);
    return new Promise((resolve) => {
      response.once('close', () => resolve(undefined));
      this.proxy.web(request, response, { target, buffer }).catch(resolve);
    });
  }

  private connect(request: IncomingMessage, socket: Socket, head: Buffer): void {
    claimClient(request);
    const target = this.next(new Set());
    if (target === undefined) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\r\n');
      return;
    }
    this.proxy.ws(request, socket, { target }, head).catch(() => socket.destroy());
  }

  /** The ready processes take turns. */
  private next(tried: ReadonlySet<string>): string | undefined {
    const left = this.ready.filter((url) => !tried.has(url));
    return left[this.turn++ % left.length];
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(PROBE_MS_MAX) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

/** What a client says of its own address is not believed: the service trusts this proxy alone. */
function claimClient(request: IncomingMessage): void {
  delete request.headers['x-forwarded-for'];
  delete request.headers['x-forwarded-proto'];
  delete request.headers['x-forwarded-host'];
}

/** The body if it is small enough to be sent twice, else null. */
async function keptBodyOf(request: IncomingMessage): Promise<Buffer | null> {
  if (request.headers['transfer-encoding'] !== undefined) return null;
  if (Number(request.headers['content-length'] ?? 0) > KEPT_BODY_BYTES_MAX) return null;
  return Buffer.concat((await request.toArray().catch(() => [])) as Buffer[]);
}

/** In the shape of the service's own errors. */
function answerUnavailable(
  response: ServerResponse,
  code: 'outcome_unknown' | 'temporarily_unavailable',
  message: string,
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(503, { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '1' });
  response.end(JSON.stringify({ error: { code, message, request_id: randomUUID() } }));
}
