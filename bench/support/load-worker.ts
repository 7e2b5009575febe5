/**
 * Sends HTTP requests over many connections at once, each waiting for its answer before the next, as
 * fast as they are answered. It speaks just enough HTTP to do that, over plain sockets: on a machine of
 * two cores a full client would take a good part of what it is to measure.
 */
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { percentile } from '../../scripts/support/statistics.js';
import { runSockets, type SocketLoadRequest } from './socket-load.js';

export interface LoadRequest {
  readonly host: string;
  readonly port: number;
  /** For each connection the requests that it sends, ready for the wire, over and over again. */
  readonly connections: readonly (readonly string[])[];
  readonly durationMs: number;
}

export interface LoadResult {
  /** How often each status was answered. */
  readonly statuses: Readonly<Record<number, number>>;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const HEAD_END = '\r\n\r\n';
const STATUS_AT = 'HTTP/1.1 '.length;
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

async function run({ host, port, connections, durationMs }: LoadRequest): Promise<LoadResult> {
  const statuses: Record<number, number> = {};
  const latenciesMs: number[] = [];
  const sockets = await Promise.all(connections.map(() => open(host, port)));
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  const loops = sockets.map((socket, i) =>
    loop(socket, connections[i]!, endsAt, (status, latencyMs) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
      latenciesMs.push(latencyMs);
    }),
  );
  await Promise.all(loops);
  const seconds = (performance.now() - startedAt) / 1_000;
  return { statuses, seconds, p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) };
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Resolves when the time is over and the last answer is there. */
function loop(
  socket: Socket,
  requests: readonly string[],
  endsAt: number,
  onAnswer: (status: number, latencyMs: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    let next = 0;
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      socket.write(requests[next++ % requests.length]!, 'latin1');
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received = received === '' ? chunk : received + chunk;
      const headEnd = received.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const length = Number(CONTENT_LENGTH.exec(received)?.[1]);
      if (received.length < headEnd + HEAD_END.length + length) return;
      const now = performance.now();
      onAnswer(Number(received.slice(STATUS_AT, STATUS_AT + 3)), now - sentAt);
      received = '';
      if (now < endsAt) send();
      else socket.end(() => resolve());
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
    send();
  });
}

process.on('message', (request: LoadRequest | SocketLoadRequest) => {
  const running = 'sockets' in request ? runSockets(request) : run(request);
  running.then(
    (result) => process.send!(result),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
