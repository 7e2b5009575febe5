import type { Response } from 'express';
import { type ErrorEnvelope, errorEnvelope } from '../http/errors.js';
import { slowConsumer } from './slow-consumer.js';

const HEARTBEAT_MS = 15_000;
/** How soon a client should come back after it has lost the connection. */
const RETRY_MS = 2_000;
/** What may wait to be sent before the client counts as slow. */
const BACKLOG_BYTES_MAX = 256 * 1024;
/** How long a slow client may take to catch up before it is given up. */
const STALLED_MS_MAX = 30_000;
/** How long the last event of a stream may take to reach a client, which may be one that reads no more. */
const LAST_EVENT_MS_MAX = 5_000;

/** An event in the form in which it goes over the line, so that it is encoded once for all who get it. */
export type EncodedEvent = string & { readonly encoded: unique symbol };

/** `id` is what the client says as `Last-Event-ID` when it comes back; `data` is JSON. */
export function encodeEvent(type: string, id: number | undefined, data: unknown): EncodedEvent {
  return encodeEventJson(type, id, JSON.stringify(data));
}

/** The same, of data that are JSON already. */
export function encodeEventJson(type: string, id: number | undefined, json: string): EncodedEvent {
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  return `${idLine}event: ${type}\ndata: ${json}\n\n` as EncodedEvent;
}

/**
 * The answer to a request for server-sent events. It is never buffered without end: `isBehind` says that the
 * client does not keep up, `onCaughtUp` that it has, and who does neither is hung up on.
 */
export class EventStream {
  private readonly heartbeat: NodeJS.Timeout | undefined;
  private stalled: NodeJS.Timeout | undefined;
  private closed = false;
  private readonly closeListeners = new Set<() => void>();

  constructor(private readonly response: Response) {
    // Nothing tells a second time that the client has hung up while its request was looked at.
    if (response.destroyed) {
      this.closed = true;
      return;
    }
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      // nginx would hold events back until its buffer is full.
      'X-Accel-Buffering': 'no',
    });
    response.socket?.setNoDelay(true);
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.heartbeat = setInterval(() => {
      if (!this.isBehind && !response.writableEnded) response.write(': heartbeat\n\n');
    }, HEARTBEAT_MS).unref();
    response.once('close', () => this.onClosed());
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Whether more waits for the client than it should: then send no more, and bring it up to date later. */
  get isBehind(): boolean {
    return this.response.writableLength > BACKLOG_BYTES_MAX;
  }

  send(event: EncodedEvent): void {
    if (!this.closed && !this.response.writableEnded) this.response.write(event);
  }

  /** Calls back once when nothing waits any more, unless the client is gone or is given up by then. */
  onCaughtUp(callback: () => void): void {
    clearTimeout(this.stalled);
    this.stalled = setTimeout(() => this.failAsSlow(), STALLED_MS_MAX).unref();
    this.response.once('drain', () => {
      clearTimeout(this.stalled);
      if (!this.closed) callback();
    });
  }

  onClose(listener: () => void): void {
    if (this.closed) listener();
    else this.closeListeners.add(listener);
  }

  /** Ends the stream after what was sent. The client comes back by itself. */
  end(): void {
    this.response.end();
  }

  /** Ends the stream with an event `error`, which carries the envelope. */
  fail(envelope: ErrorEnvelope): void {
    if (this.closed || this.response.writableEnded) return;
    this.response.end(encodeEvent('error', undefined, envelope));
    this.stalled = setTimeout(() => this.response.destroy(), LAST_EVENT_MS_MAX).unref();
  }

  /** Ends the stream of a client that does not keep up, for a group that has more to tell it than may wait. */
  failAsSlow(): void {
    this.fail(errorEnvelope(slowConsumer(), this.response.req.id));
  }

  private onClosed(): void {
    this.closed = true;
    clearInterval(this.heartbeat);
    clearTimeout(this.stalled);
    for (const listener of this.closeListeners) listener();
  }
}
