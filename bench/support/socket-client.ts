/**
 * A client of socket.io that speaks just enough of the protocol over a plain connection: with the full client one
 * core of two would be busy with what is not to be measured.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export interface SocketAddress {
  readonly host: string;
  readonly port: number;
  readonly namespace: string;
}

const TEXT_FRAME = 0x81;
const MASKED = 0x80;
const PING = '2';
const PONG = '3';

export class SocketClient {
  private received: Buffer = Buffer.alloc(0);
  /** Called with every packet in wire format, such as `42/chat,["message.new",{…}]`. */
  onText: (text: string) => void = () => undefined;

  private constructor(
    readonly socket: Socket,
    private readonly namespace: string,
  ) {
    socket.on('data', (chunk: Buffer) => this.read(chunk));
  }

  /** Resolves once the namespace has let the client in. */
  static async open({ host, port, namespace }: SocketAddress, token: string): Promise<SocketClient> {
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
    const client = new SocketClient(socket, namespace);
    await client.join(token);
    return client;
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
export function frameOf(text: string): Buffer {
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
