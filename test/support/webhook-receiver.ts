/** A webhook receiver as an owner would run it: a plain HTTP server that stores and verifies deliveries. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Json } from './caller.js';

/** A received request, not yet verified. */
export interface Arrival {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The signed bytes. */
  readonly body: string;
  readonly id: string;
  readonly event: Json;
}

/** The receiver's answer; `hang` never answers, and `cut` closes the connection without one. */
export type Answer =
  | 'hang'
  | 'cut'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

export class WebhookReceiver {
  readonly arrivals: Arrival[] = [];
  /** May be replaced at any time. */
  answer: (arrival: Arrival) => Answer = () => ({ status: 204 });

  private constructor(private readonly server: Server) {}

  static async start(port = 0): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      void text(request).then(
        (body) => receiver.take(request.url!, request.headers, body, response),
        () => response.destroy(),
      );
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path = '/'): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** The requests to a path, oldest first. */
  at(path: string): Arrival[] {
    return this.arrivals.filter((arrival) => arrival.path === path);
  }

  /** Notified of every connection, whether or not it sends anything. */
  onConnection(listener: () => void): void {
    this.server.on('connection', listener);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(path: string, headers: IncomingHttpHeaders, body: string, response: ServerResponse): void {
    const arrival: Arrival = {
      path,
      headers,
      body,
      id: String(headers['webhook-id']),
      event: JSON.parse(body),
    };
    this.arrivals.push(arrival);
    const answer = this.answer(arrival);
    if (answer === 'hang') return;
    if (answer === 'cut') response.destroy();
    else response.writeHead(answer.status, answer.headers).end();
  }
}

/** Verifies the signature as the library of Standard Webhooks does, and returns the event; throws if it is invalid. */
export function verified(arrival: Arrival, secret: string): Json {
  return new Webhook(secret).verify(arrival.body, arrival.headers as Record<string, string>) as Json;
}
