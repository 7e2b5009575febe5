/**
 * Sends messages through socket.io, so many on their way in each socket at once, as fast as they are acknowledged.
 * Like its counterpart for HTTP it speaks just enough of the protocol, over plain connections: with the full client
 * one core of two would be busy with what is not to be measured.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { percentile } from '../../scripts/support/statistics.js';
import type { LoadResult } from './load-worker.js';

export interface SocketLoadRequest {
  readonly host: string;
  readonly port: number;
  readonly namespace: string;
  readonly sockets: readonly {
    readonly token: string;
    /** Each as JSON, such as `["orders.place",{…}]`; sent over and over again. */
    readonly messages: readonly string[];
  }[];
  /** How many messages of one socket are on their way at once. */
  readonly inFlight: number;
  readonly durationMs: number;
}

/** What counts for a message that was acknowledged with `data`, and for any other. */
const DONE = 200;
const FAILED = 500;

const TEXT_FRAME = 0x81;
const MASKED = 0x80;
const PING = '2';
const PONG = '3';

export async function runSockets(request: SocketLoadRequest): Promise<LoadResult> {
  const { sockets, durationMs } = request;
  const connections = await Promise.all(sockets.map(({ token }) => Connection.open(request, token)));
  const statuses: Record<number, number> = {};
  const latenciesMs: number[] = [];
  const startedAt = performance.now();
  const endsAt = startedAt + durationMs;
  await Promise.all(
    connections.map((connection, i) =>
      connection.run(sockets[i]!.messages, request.inFlight, endsAt, (status, latencyMs) => {
        statuses[status] = (statuses[status] ?? 0) + 1;
        latenciesMs.push(latencyMs);
      }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  return { statuses, seconds, p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) };
}

class Connection {
  private received: Buffer = Buffer.alloc(0);
  private onText: (text: string) => void = () => undefined;

  private constructor(
    private readonly socket: Socket,
    private readonly namespace: string,
  ) {
    socket.on('data', (chunk: Buffer) => this.read(chunk));
  }

  /** Resolves once the namespace has let the client in. */
  static async open({ host, port, namespace }: SocketLoadRequest, token: string): Promise<Connection> {
    const socket = connect({ host, port, noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('data', (answer: Buffer) => {
        if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) reject(new Error(answer.toString()));
        // What follows the head in the same chunk is the greeting of engine.io, which says nothing that is needed.
        socket.removeAllListeners('error');
        resolve();
      });
      socket.write(
        [
          'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
          `Host: ${host}`,
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
          '',
          '',
        ].join('\r\n'),
      );
    });
    const connection = new Connection(socket, namespace);
    await connection.join(token);
    return connection;
  }

  /** Keeps so many messages on their way until the time is over and the last answer is there. */
  run(
    messages: readonly string[],
    inFlight: number,
    endsAt: number,
    onAnswer: (status: number, latencyMs: number) => void,
  ): Promise<void> {
    const acknowledgement = `43${this.namespace},`;
    const sentAt: number[] = [];
    let next = 0;
    let waiting = 0;
    // The place that a message has among those on their way is its id, so that frames are ready to be sent.
    const frames = Array.from({ length: inFlight }, (_, id) =>
      messages.map((message) => frameOf(`42${this.namespace},${id}${message}`)),
    );
    const send = (id: number): void => {
      sentAt[id] = performance.now();
      waiting++;
      this.socket.write(frames[id]![next++ % messages.length]!);
    };
    return new Promise((resolve, reject) => {
      this.socket.once('error', reject).once('close', () => resolve());
      this.onText = (text) => {
        if (!text.startsWith(acknowledgement)) return;
        const answerAt = text.indexOf('[', acknowledgement.length);
        const id = Number(text.slice(acknowledgement.length, answerAt));
        const now = performance.now();
        waiting--;
        onAnswer(text.startsWith('[{"data":', answerAt) ? DONE : FAILED, now - sentAt[id]!);
        if (now < endsAt) send(id);
        else if (waiting === 0) this.socket.end(() => resolve());
      };
      for (let id = 0; id < inFlight; id++) send(id);
    });
  }

  private join(token: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.onText = (text) => {
        if (text.startsWith(`40${this.namespace},`)) resolve();
        else if (text.startsWith(`44${this.namespace},`)) reject(new Error(text));
      };
      this.socket.write(frameOf(`40${this.namespace},${JSON.stringify({ token })}`));
    });
  }

  private read(chunk: Buffer): void {
    let data = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    // What the answers of one chunk call for goes out as one, too.
    this.socket.cork();
    for (;;) {
      const frame = textFrameIn(data);
      if (frame === undefined) break;
      data = data.subarray(frame.end);
      if (frame.text === PING) this.socket.write(frameOf(PONG));
      else this.onText(frame.text);
    }
    this.socket.uncork();
    this.received = data;
  }
}

/** A frame of a client has to be masked; with a mask of zeros its text stays as it is. */
function frameOf(text: string): Buffer {
  const body = Buffer.from(text, 'utf8');
  const mask = Buffer.alloc(4);
  if (body.length < 126) return Buffer.concat([Buffer.from([TEXT_FRAME, MASKED | body.length]), mask, body]);
  const head = Buffer.from([TEXT_FRAME, MASKED | 126, body.length >> 8, body.length & 0xff]);
  return Buffer.concat([head, mask, body]);
}

/** The first whole frame; the service sends nothing but texts that are not divided. */
function textFrameIn(data: Buffer): { text: string; end: number } | undefined {
  if (data.length < 2) return undefined;
  let length = data[1]!;
  let start = 2;
  if (length === 126) {
    if (data.length < 4) return undefined;
    length = data.readUInt16BE(2);
    start = 4;
  } else if (length === 127) {
    if (data.length < 10) return undefined;
    length = Number(data.readBigUInt64BE(2));
    start = 10;
  }
  const end = start + length;
  return data.length < end ? undefined : { text: data.toString('latin1', start, end), end };
}
