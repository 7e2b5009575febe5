/** A connection of HTTP that asks, and throws away what is answered but for its head. */
import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  readonly status: number;
  /** What the service says of when to come again; 0 where it says nothing. */
  readonly retryAfterS: number;
}

export interface WireAddress {
  readonly host: string;
  readonly port: number;
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';
const STATUS_AT = 'HTTP/1.1 '.length;
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;
const RETRY_AFTER = /\r\nretry-after: (\d+)/i;
/** Statuses that have no body. */
const NO_CONTENT = [204, 304];

export class WireConnection {
  private constructor(private readonly socket: Socket) {}

  static open({ host, port }: WireAddress): Promise<WireConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, noDelay: true }, () => {
        socket.off('error', reject);
        // Whoever waits for an answer hears of its end.
        socket.on('error', () => undefined);
        resolve(new WireConnection(socket.setEncoding('latin1')));
      });
      socket.once('error', reject);
    });
  }

  /** Whether it can be asked again. */
  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable;
  }

  /** Resolves when the last byte of the answer is there. Rejects where the connection ends before. */
  ask(request: string | Buffer, onHead: (answer: WireAnswer) => void = () => undefined): Promise<WireAnswer> {
    const { socket } = this;
    return new Promise((resolve, reject) => {
      const reader = new AnswerReader(onHead);
      const onEnd = (): void => settle(() => reject(new Error('The service has hung up.')));
      const onData = (chunk: string): void => {
        if (reader.read(chunk)) settle(() => resolve(reader.answer!));
      };
      const settle = (then: () => void): void => {
        socket.off('data', onData).off('close', onEnd);
        then();
      };
      if (!this.isOpen) {
        onEnd();
        return;
      }
      socket.on('data', onData).once('close', onEnd);
      socket.write(request, 'latin1');
    });
  }

  close(): void {
    this.socket.destroy();
  }
}

class AnswerReader {
  answer: WireAnswer | undefined;
  private head = '';
  /** Of a body of known length; null where it comes in chunks. */
  private missing: number | null = null;
  /** The end of what came, in which the last chunk may begin. */
  private tail = '';

  constructor(private readonly onHead: (answer: WireAnswer) => void) {}

  /** Answers whether the whole is there. */
  read(chunk: string): boolean {
    if (this.answer !== undefined) return this.readBody(chunk);
    this.head += chunk;
    const headEnd = this.head.indexOf(HEAD_END);
    if (headEnd < 0) return false;
    const head = this.head.slice(0, headEnd);
    const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
    const length = NO_CONTENT.includes(status) ? '0' : CONTENT_LENGTH.exec(head)?.[1];
    this.answer = { status, retryAfterS: Number(RETRY_AFTER.exec(head)?.[1] ?? 0) };
    this.missing = length === undefined ? null : Number(length);
    this.onHead(this.answer);
    return this.readBody(this.head.slice(headEnd + HEAD_END.length));
  }

  private readBody(chunk: string): boolean {
    if (this.missing !== null) return (this.missing -= chunk.length) <= 0;
    this.tail = (this.tail + chunk).slice(-LAST_CHUNK.length);
    return this.tail === LAST_CHUNK;
  }
}
