/**
 * Sends HTTP requests over many connections, each waiting for its answer before the next, as fast as possible. It
 * speaks minimal HTTP over plain sockets: on two cores a full client would take a good part of what it measures.
 */
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { type LoadResult, loadResult } from './load-result.js';
import { type FixLoadRequest, runFix } from './fix-load.js';
import { runSockets, type SocketLoadRequest } from './socket-load.js';
import { Template } from './template.js';

export interface LoadRequest extends Address {
  /** Further processes of the service, to which connections go in turn as to the first. */
  readonly others?: readonly Address[];
  /** For each connection the templates of the requests that it sends, over and over again. */
  readonly connections: readonly (readonly string[])[];
  readonly durationMs: number;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Requests at fixed moments, whether those before have been answered or not. */
export interface PacedLoadRequest extends Address {
  /** Templates, sent over and over again. */
  readonly requests: readonly string[];
  readonly everyMs: number;
  /** Opened beforehand; where all of them wait for answers, another one is. */
  readonly connections: number;
  readonly durationMs: number;
}

const HEAD_END = '\r\n\r\n';
const STATUS_AT = 'HTTP/1.1 '.length;
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

async function run({ others = [], connections, durationMs, ...first }: LoadRequest): Promise<LoadResult> {
  const targets = [first, ...others];
  const statuses: Record<number, number> = {};
  const latenciesMs: number[] = [];
  let refusal: string | undefined;
  const templates = connections.map((requests) => requests.map((request) => new Template(request)));
  const sockets = await Promise.all(
    connections.map((_, i) => {
      const { host, port } = targets[i % targets.length]!;
      return open(host, port);
    }),
  );
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  const loops = sockets.map((socket, i) =>
    loop(socket, templates[i]!, endsAt, (answer, latencyMs) => {
      const status = statusOf(answer);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status >= 400) refusal ??= answer;
      latenciesMs.push(latencyMs);
    }),
  );
  await Promise.all(loops);
  return { ...loadResult(statuses, latenciesMs, startedAt), refusal };
}

/**
 * What waits is counted from the moment at which it should have been sent: who waits for an answer before the
 * next request asks nothing while the service stands still, and would call that one slow answer.
 */
async function runPaced({
  host,
  port,
  requests,
  everyMs,
  connections,
  durationMs,
}: PacedLoadRequest): Promise<LoadResult> {
  const statuses: Record<number, number> = {};
  const latenciesMs: number[] = [];
  const templates = requests.map((request) => new Template(request));
  const idle = new IdleSockets();
  for (const socket of await Promise.all(Array.from({ length: connections }, () => open(host, port))))
    idle.put(socket);
  const answers: Promise<void>[] = [];
  const startedAt = performance.now();
  const sendOne = async (request: Template, dueAt: number): Promise<void> => {
    const socket = idle.take() ?? (await open(host, port));
    const status = await answerTo(socket, request);
    statuses[status] = (statuses[status] ?? 0) + 1;
    latenciesMs.push(performance.now() - dueAt);
    idle.put(socket);
  };
  for (let i = 0; i * everyMs < durationMs; i++) {
    const dueAt = startedAt + i * everyMs;
    await until(dueAt);
    answers.push(sendOne(templates[i % templates.length]!, dueAt));
  }
  await Promise.all(answers);
  idle.close();
  return loadResult(statuses, latenciesMs, startedAt);
}

/** Well below the time after which the service closes a connection that nobody uses. */
const IDLE_MS_MAX = 2_000;

/** Connections that wait for a request; the one that was used last goes first. */
class IdleSockets {
  private readonly waiting: { readonly socket: Socket; readonly sinceMs: number }[] = [];

  put(socket: Socket): void {
    this.waiting.push({ socket, sinceMs: performance.now() });
  }

  take(): Socket | undefined {
    const last = this.waiting.pop();
    if (last === undefined || performance.now() - last.sinceMs < IDLE_MS_MAX) return last?.socket;
    // The others have waited for longer still.
    last.socket.destroy();
    this.close();
    return undefined;
  }

  close(): void {
    for (const { socket } of this.waiting.splice(0)) socket.destroy();
  }
}

function until(dueAt: number): Promise<void> {
  const waitMs = dueAt - performance.now();
  return waitMs <= 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, waitMs));
}

function answerTo(socket: Socket, request: Template): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = '';
    socket.setEncoding('latin1');
    const onData = (chunk: string): void => {
      received += chunk;
      if (!isWhole(received)) return;
      socket.off('data', onData).off('error', reject);
      resolve(statusOf(received));
    };
    socket.on('data', onData).on('error', reject);
    socket.write(request.next());
  });
}

function isWhole(received: string): boolean {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd < 0) return false;
  return received.length >= headEnd + HEAD_END.length + Number(CONTENT_LENGTH.exec(received)?.[1]);
}

function statusOf(received: string): number {
  return Number(received.slice(STATUS_AT, STATUS_AT + 3));
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    // One that is closed while nobody uses it is no fault; whoever waits for an answer listens for himself.
    socket.on('error', reject);
  });
}

/** Resolves when the time is over and the last answer is there. */
function loop(
  socket: Socket,
  requests: readonly Template[],
  endsAt: number,
  onAnswer: (answer: string, latencyMs: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = '';
    let next = 0;
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      socket.write(requests[next++ % requests.length]!.next());
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      received = received === '' ? chunk : received + chunk;
      if (!isWhole(received)) return;
      const now = performance.now();
      onAnswer(received, now - sentAt);
      received = '';
      if (now < endsAt) send();
      else socket.end(() => resolve());
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
    send();
  });
}

type AnyLoadRequest = LoadRequest | PacedLoadRequest | SocketLoadRequest | FixLoadRequest;

function runAny(request: AnyLoadRequest): Promise<LoadResult> {
  if ('sessions' in request) return runFix(request);
  if ('sockets' in request) return runSockets(request);
  return 'everyMs' in request ? runPaced(request) : run(request);
}

process.on('message', (request: AnyLoadRequest) => {
  runAny(request).then(
    (result) => process.send!(result),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
