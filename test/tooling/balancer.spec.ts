import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as SocketServer } from 'socket.io';
import { io } from 'socket.io-client';
import { afterEach, describe, expect, it } from 'vitest';
import { Balancer } from '../../scripts/cluster/balancer.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A process that answers with its name, unless told otherwise. */
class StandIn {
  isReady = true;
  readonly seen: { method: string; body: string; forwardedFor: string | undefined }[] = [];
  private url_: string | undefined;

  constructor(
    readonly name: string,
    private readonly answer: Answer = (_request, response) => void response.end(name),
  ) {}

  readonly server = createServer((request, response) => {
    if (request.url === '/health/ready') {
      response.writeHead(this.isReady ? 200 : 503).end();
      return;
    }
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const forwardedFor = request.headers['x-forwarded-for'] as string | undefined;
      this.seen.push({ method: request.method!, body, forwardedFor });
      this.answer(request, response);
    });
  });

  get url(): string | undefined {
    return this.url_;
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.url_ = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  /** Ends abruptly: its address is still listed, but nobody listens there. */
  async end(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}

describe('Balancer', () => {
  const ends: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });

  const standIn = async (name: string, answer?: Answer): Promise<StandIn> => {
    const backend = await new StandIn(name, answer).start();
    ends.push(() => backend.end());
    return backend;
  };
  const balance = async (...backends: StandIn[]): Promise<Balancer> => {
    const balancer = await Balancer.start(backends, 0);
    ends.push(() => balancer.stop());
    return balancer;
  };
  const ask = async (balancer: Balancer, init?: RequestInit): Promise<string> =>
    (await fetch(`${balancer.url}/who?x=1`, init)).text();

  it('lets the ready processes take turns', async () => {
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => standIn(name)));
    b!.isReady = false;
    const balancer = await balance(a!, b!, c!);
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await ask(balancer));
    expect(answers.toSorted()).toEqual(['a', 'a', 'c', 'c']);
    b!.isReady = true;
    await balancer.probe();
    const later = new Set<string>();
    for (let i = 0; i < 3; i++) later.add(await ask(balancer));
    expect(later).toEqual(new Set(['a', 'b', 'c']));
  });

  it('goes to the next process where nobody listens any more, with the body', async () => {
    const [a, b] = [await standIn('a'), await standIn('b')];
    const balancer = await balance(a, b);
    await a.end();
    for (let i = 0; i < 3; i++) expect(await ask(balancer, { method: 'POST', body: `order ${i}` })).toBe('b');
    expect(b.seen.map(({ method, body }) => `${method} ${body}`)).toEqual([
      'POST order 0',
      'POST order 1',
      'POST order 2',
    ]);
  });

  it('sends nothing twice that somebody may have seen', async () => {
    const [a, b] = [
      await standIn('a', (request) => void request.socket.destroy()),
      await standIn('b', (request) => void request.socket.destroy()),
    ];
    const balancer = await balance(a, b);
    const answer = await fetch(balancer.url, { method: 'POST', body: '{}' });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ error: { code: 'outcome_unknown' } });
    expect(a.seen.length + b.seen.length).toBe(1);
  });

  it('answers 503 where no process is ready', async () => {
    const a = await standIn('a');
    a.isReady = false;
    const answer = await fetch((await balance(a)).url);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await answer.json()).toMatchObject({ error: { code: 'temporarily_unavailable' } });
  });

  it('says who asks, whatever the client says of itself', async () => {
    const a = await standIn('a');
    await ask(await balance(a), { headers: { 'X-Forwarded-For': '203.0.113.9' } });
    expect(a.seen[0]!.forwardedFor).toMatch(/127\.0\.0\.1$/);
  });

  it('passes events on as they come', async () => {
    let say: ((text: string) => void) | undefined;
    const a = await standIn('a', (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      say = (text) => void response.write(`data: ${text}\n\n`);
      say('first');
    });
    const balancer = await balance(a);
    const asked = httpRequest(balancer.url).end();
    ends.push(async () => asked.destroy());
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const next = async (): Promise<string> => String((await once(answer, 'data'))[0]);
    expect(await next()).toBe('data: first\n\n');
    say!('second');
    expect(await next()).toBe('data: second\n\n');
  });

  it('connects WebSockets', async () => {
    const a = await standIn('a');
    const sockets = new SocketServer(a.server, { transports: ['websocket'] });
    sockets.on('connection', (socket) => void socket.on('say', (text, answer) => answer(`heard ${text}`)));
    const client = io((await balance(a)).url, { transports: ['websocket'], reconnection: false });
    ends.push(async () => client.disconnect());
    expect(await client.timeout(60_000).emitWithAck('say', 'hello')).toBe('heard hello');
  });
});
