import type { Response } from 'express';
import { type ApiError, errorEnvelope } from '../http/errors.js';
import { Connection, type Subscription } from './connection.js';
import { EncodedEvent } from './encoded-event.js';
import { slowConsumer, STALLED_MS_MAX } from './slow-consumer.js';

const HEARTBEAT_MS = 15_000;
/** How soon a client should reconnect. */
const RETRY_MS = 2_000;
/** The backlog above which a client counts as slow. */
const BACKLOG_BYTES_MAX = 256 * 1024;
/** How long to wait for the last event to reach a client, which may have stopped reading. */
const LAST_EVENT_MS_MAX = 5_000;

/** The answer to a request for server-sent events. */
export class EventStreamConnection<Each extends Subscription = Subscription> extends Connection<Each> {
  private readonly heartbeat: NodeJS.Timeout | undefined;
  private deadline: NodeJS.Timeout | undefined;
  private readonly waitingToCatchUp: (() => void)[] = [];

  constructor(private readonly response: Response) {
    super();
    // If the client disconnected before this, the response emits no further `close`.
    if (response.destroyed) {
      this.close();
      return;
    }
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      // Otherwise nginx buffers events.
      'X-Accel-Buffering': 'no',
    });
    response.socket?.setNoDelay(true);
    response.write(`retry: ${RETRY_MS}\n\n`);
    // From here on it counts as a connection.
    response.req.flight?.end();
    this.heartbeat = setInterval(() => {
      if (!this.isBehind && !response.writableEnded) response.write(': heartbeat\n\n');
    }, HEARTBEAT_MS).unref();
    response.once('close', () => {
      clearInterval(this.heartbeat);
      clearTimeout(this.deadline);
      this.close();
    });
  }

  get isBehind(): boolean {
    return this.response.writableLength > BACKLOG_BYTES_MAX;
  }

  send(event: EncodedEvent): void {
    if (this.isClosed || this.response.writableEnded) return;
    this.response.write(event.text);
    if (this.isBehind) this.pauseAll();
  }

  async drained(): Promise<void> {
    if (this.isBehind) await new Promise<void>((resolve) => this.whenCaughtUp(resolve));
  }

  whenCaughtUp(callback: () => void): void {
    if (this.waitingToCatchUp.push(callback) > 1) return;
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.fail(slowConsumer()), STALLED_MS_MAX).unref();
    this.response.once('drain', () => {
      clearTimeout(this.deadline);
      const callbacks = this.waitingToCatchUp.splice(0);
      if (!this.isClosed) for (const each of callbacks) each();
    });
  }

  fail(error: ApiError): string {
    const requestId = this.response.req.id;
    if (this.isClosed || this.response.writableEnded) return requestId;
    this.response.end(
      new EncodedEvent('error', undefined, JSON.stringify(errorEnvelope(error, requestId))).text,
    );
    clearTimeout(this.deadline);
    this.deadline = setTimeout(() => this.response.destroy(), LAST_EVENT_MS_MAX).unref();
    return requestId;
  }

  endSubscription(reason: ApiError | null): void {
    if (reason === null) this.end();
    else this.fail(reason);
  }

  /** Ends the stream after what was sent. The client comes back by itself. */
  end(): void {
    this.response.end();
  }
}
