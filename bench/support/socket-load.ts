/** Sends messages through socket.io, a number of them in flight on each socket, as fast as they are acknowledged. */
import { performance } from 'node:perf_hooks';
import { type LoadResult, loadResult } from './load-result.js';
import { frameOf, SocketClient, type SocketAddress } from './socket-client.js';
import { Template } from './template.js';

export interface SocketLoadRequest extends SocketAddress {
  readonly sockets: readonly {
    readonly token: string;
    /** Templates of JSON such as `["orders.place",{…}]`, more than are on their way at once; sent over and over again. */
    readonly messages: readonly string[];
  }[];
  /** How many messages of one socket are on their way at once. */
  readonly inFlight: number;
  readonly durationMs: number;
}

/** What counts for a message that was acknowledged with `data`, and for any other. */
const DONE = 200;
const FAILED = 500;
/** As many digits as every id of a message has, so that it can be written over. */
const ID = '000';

export async function runSockets(request: SocketLoadRequest): Promise<LoadResult> {
  const { sockets, durationMs } = request;
  const clients = await Promise.all(sockets.map(({ token }) => SocketClient.open(request, token)));
  const statuses: Record<number, number> = {};
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  await Promise.all(
    clients.map((client, i) =>
      run(client, request, sockets[i]!.messages, endsAt, (status, latencyMs) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        latenciesMs.push(latencyMs);
      }),
    ),
  );
  return loadResult(statuses, latenciesMs, startedAt);
}

/** Keeps this many messages in flight until the time is over and the last answer has arrived. */
function run(
  client: SocketClient,
  { namespace, inFlight }: SocketLoadRequest,
  messages: readonly string[],
  endsAt: number,
  onAnswer: (status: number, latencyMs: number) => void,
): Promise<void> {
  const acknowledgement = `43${namespace},`;
  const sentAt: number[] = [];
  let next = 0;
  let waiting = 0;
  const head = `42${namespace},`;
  const frames = messages.map((message) => {
    const text = head + ID + message;
    const frame = frameOf(text);
    return { template: new Template(frame), idAt: frame.length - text.length + head.length };
  });
  // The place that a message has among those on their way is its id.
  const send = (id: number): void => {
    sentAt[id] = performance.now();
    waiting++;
    const { template, idAt } = frames[next++ % frames.length]!;
    const frame = template.next();
    frame.write(String(id).padStart(ID.length, '0'), idAt, 'latin1');
    client.socket.write(frame);
  };
  return new Promise((resolve, reject) => {
    client.socket.once('error', reject).once('close', () => resolve());
    client.onText = (text) => {
      if (!text.startsWith(acknowledgement)) return;
      const answerAt = text.indexOf('[', acknowledgement.length);
      const id = Number(text.slice(acknowledgement.length, answerAt));
      const now = performance.now();
      waiting--;
      onAnswer(text.startsWith('[{"data":', answerAt) ? DONE : FAILED, now - sentAt[id]!);
      if (now < endsAt) send(id);
      else if (waiting === 0) client.socket.end(() => resolve());
    };
    for (let id = 0; id < inFlight; id++) send(id);
  });
}
