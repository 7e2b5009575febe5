import { Logger } from '@nestjs/common';
import type { RawData, WebSocket } from 'ws';

/** Close codes of RFC 6455, section 7.4.1, and of its registry. */
const UNSUPPORTED_DATA = 1003;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

/** What a client has not received yet may take this much memory; one that is further behind is disconnected. */
export const BACKLOG_BYTES_MAX = 1024 * 1024;
const SECOND_MS = 1_000;

export interface PlainSocketOptions {
  /** From where it was opened, as `request.ip` of Express tells it. */
  readonly address: string;
  /** Frames that a client may send in a second, pings and pongs included; one that sends more is disconnected. */
  readonly framesPerSecondMax: number;
  /** How often the client is pinged; one that answers none of two pings is disconnected. */
  readonly pingEveryMs: number;
}

/** A client's WebSocket, bounded in what it may send and in what waits for it. */
export class PlainSocket {
  private static readonly logger = new Logger(PlainSocket.name);
  readonly address: string;
  private readonly pings: NodeJS.Timeout;
  private unansweredPings = 0;
  private secondBeganMs = 0;
  private framesInSecond = 0;
  private onText: (text: string) => void = () => undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly options: PlainSocketOptions,
  ) {
    this.address = options.address;
    this.pings = setInterval(() => this.ping(), options.pingEveryMs).unref();
    socket.on('close', () => clearInterval(this.pings));
    // What the client broke the protocol with; `close` follows.
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => this.take(data, isBinary));
    socket.on('ping', () => this.countFrame());
    socket.on('pong', () => {
      this.unansweredPings = 0;
      this.countFrame();
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Sends a text, unless the client is gone. One that is too far behind is disconnected, so that it slows no other. */
  send(text: string): void {
    if (!this.isOpen) return;
    if (this.socket.bufferedAmount > BACKLOG_BYTES_MAX) {
      // A closing handshake would wait behind what the client does not read.
      this.socket.terminate();
      return;
    }
    this.socket.send(text);
  }

  /** Sets what gets the client's texts; to be called before the event loop turns, or some may be missed. */
  onMessage(listener: (text: string) => void): void {
    this.onText = listener;
  }

  onClose(listener: () => void): void {
    if (this.socket.readyState === this.socket.CLOSED) listener();
    else this.socket.once('close', listener);
  }

  /** Ends it by a code of RFC 6455, and a reason of at most 123 bytes. */
  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }

  /** Runs what a plugin does with the client; where that fails the client is disconnected, and nothing else happens. */
  attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      PlainSocket.logger.error({ err: error, msg: 'a WebSocket could not be served' });
      this.close(INTERNAL_ERROR, 'The service failed; connect again.');
    }
  }

  private take(data: RawData, isBinary: boolean): void {
    if (!this.countFrame()) return;
    if (isBinary) this.close(UNSUPPORTED_DATA, 'Send text.');
    else this.attempt(() => this.onText((data as Buffer).toString('utf8')));
  }

  /** Whether the frame is within the limit; otherwise the client is disconnected. */
  private countFrame(): boolean {
    if (!this.isOpen) return false;
    const nowMs = performance.now();
    if (nowMs - this.secondBeganMs >= SECOND_MS) {
      this.secondBeganMs = nowMs;
      this.framesInSecond = 0;
    }
    if (++this.framesInSecond <= this.options.framesPerSecondMax) return true;
    this.close(POLICY_VIOLATION, `Send at most ${this.options.framesPerSecondMax} messages a second.`);
    return false;
  }

  private ping(): void {
    if (!this.isOpen) return;
    if (++this.unansweredPings > 2) this.socket.terminate();
    else this.socket.ping(String(Date.now()));
  }
}
