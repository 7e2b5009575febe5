/** Stands between the service and its node, so that a test can cut the node off at any moment. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface RpcCall {
  readonly method: string;
}

/** Whether the node receives the intercepted call; the caller never gets an answer. */
export type Fate = 'delivered' | 'lost';

export class RpcProxy {
  /** While true, every connection is closed at once. */
  down = false;
  private trap: { readonly method: string; readonly fate: Fate; readonly sprung: () => void } | undefined;

  private constructor(
    private readonly server: Server,
    private readonly nodeUrl: string,
  ) {
    server.on('request', (request, response) => {
      this.pass(request, response).catch(() => request.socket.destroy());
    });
  }

  static async start(nodeUrl: string): Promise<RpcProxy> {
    const server = createServer();
    const proxy = new RpcProxy(server, nodeUrl);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Resolves when the next call of this method was intercepted; from then on the node is down for all. */
  cutOffAt(method: string, fate: Fate): Promise<void> {
    return new Promise((sprung) => {
      this.trap = { method, fate, sprung };
    });
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { trap } = this;
    if (this.down) {
      request.socket.destroy();
      return;
    }
    if (trap !== undefined && (JSON.parse(body) as RpcCall).method === trap.method) {
      this.down = true;
      this.trap = undefined;
      if (trap.fate === 'delivered') await this.ask(body);
      trap.sprung();
      request.socket.destroy();
      return;
    }
    response.setHeader('content-type', 'application/json').end(await this.ask(body));
  }

  private async ask(body: string): Promise<string> {
    const answer = await fetch(this.nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return answer.text();
  }
}
