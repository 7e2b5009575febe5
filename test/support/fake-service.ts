import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answerer = (response: ServerResponse, asked: Asked, index: number) => void;

/** An HTTP server that answers as badly as it is told. */
export class FakeService {
  readonly asked: Asked[] = [];
  readonly server = createServer((request, response) => void this.take(request, response));
  url = '';

  /** `answer` gets the number of the request, from 0 on. */
  static async start(answer: Answerer): Promise<FakeService> {
    const fake = new FakeService(answer);
    fake.server.listen(0, '127.0.0.1');
    await once(fake.server, 'listening');
    fake.url = `http://127.0.0.1:${(fake.server.address() as AddressInfo).port}`;
    return fake;
  }

  private constructor(private readonly answer: Answerer) {}

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
    const { method = '', url: path = '', headers } = request;
    const asked = { method, path, headers, body };
    this.asked.push(asked);
    this.answer(response, asked, this.asked.length - 1);
  }
}

export function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, status: number, code: string, headers = {}): void {
  json(response, status, { error: { code, message: 'Do otherwise.', request_id: 'req-1' } }, headers);
}

/** Half of the answer, and the end of the connection. */
export function cut(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
  response.write('{"order_id": ');
  setImmediate(() => response.destroy());
}
