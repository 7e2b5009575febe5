/** A host of feeds for the News specs: answers each path as configured and records requests. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FeedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface FeedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export class FeedServer {
  readonly requests: FeedRequest[] = [];
  private readonly answers = new Map<string, FeedAnswer | 'hang'>();

  private constructor(private readonly server: Server) {
    server.on('request', ({ url: path = '', headers }, response) => {
      this.requests.push({ path, headers });
      const answer = this.answers.get(path) ?? { status: 404 };
      if (answer === 'hang') return;
      response.writeHead(answer.status ?? 200, answer.headers);
      response.end(answer.body);
    });
  }

  static async start(): Promise<FeedServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FeedServer(server);
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  answer(path: string, answer: FeedAnswer | 'hang'): void {
    this.answers.set(path, answer);
  }

  /** The requests for a path, oldest first. */
  at(path: string): FeedRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** An RSS feed of these items, each an inner XML. */
export function rssOf(...items: readonly string[]): string {
  const elements = items.map((item) => `<item>${item}</item>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Example &amp; Sons</title><link>https://example.com/</link><description>All of it</description>
<language>en-gb</language>${elements}</channel></rss>`;
}
