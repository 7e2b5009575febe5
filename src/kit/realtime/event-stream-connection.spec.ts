import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { INVALID_TOKEN } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';
import { EncodedEvent } from './encoded-event.js';
import { EventStreamConnection } from './event-stream-connection.js';

/** A response whose client reads when the test says so. */
class WaitingResponse extends EventEmitter {
  readonly req = { id: 'a-request' };
  readonly socket = null;
  text = '';
  writableLength = 0;
  writableEnded = false;
  isDestroyed = false;

  writeHead(): void {}

  write(text: string): boolean {
    if (this.writableEnded) throw new Error('write after end');
    this.text += text;
    this.writableLength += text.length;
    return false;
  }

  end(text = ''): void {
    this.write(text);
    this.writableEnded = true;
  }

  destroy(): void {
    this.isDestroyed = true;
    this.emit('close');
  }

  read(): void {
    this.writableLength = 0;
    this.emit('drain');
  }
}

const EVENT = new EncodedEvent('news', 1, JSON.stringify({ text: 'x'.repeat(64 * 1024) }));

describe('EventStreamConnection', () => {
  let response: WaitingResponse;
  let stream: EventStreamConnection;

  beforeEach(() => {
    vi.useFakeTimers();
    response = new WaitingResponse();
    stream = new EventStreamConnection(response as unknown as Response);
  });
  afterEach(() => {
    response.emit('close');
    vi.useRealTimers();
  });

  it('says how soon to come back, and beats its heart while nothing happens', () => {
    response.read();
    vi.advanceTimersByTime(31_000);
    expect(response.text).toBe('retry: 2000\n\n: heartbeat\n\n: heartbeat\n\n');
  });

  it('is behind when more waits than should, and says when the client has caught up', () => {
    for (let i = 0; i < 4; i++) stream.send(EVENT);
    expect(stream.isBehind).toBe(true);
    const caughtUp = vi.fn();
    stream.whenCaughtUp(caughtUp);
    expect(caughtUp).not.toHaveBeenCalled();
    response.read();
    expect(caughtUp).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(60_000);
    expect(response.isDestroyed).toBe(false);
  });

  it('ends with a reason for a client that reads no more, and then without its consent', () => {
    for (let i = 0; i < 5; i++) stream.send(EVENT);
    stream.whenCaughtUp(() => undefined);
    vi.advanceTimersByTime(30_000);
    expect(response.text).toMatch(/event: error\ndata: \{"error":\{"code":"slow_consumer".*\}\n\n$/);
    expect(response.isDestroyed).toBe(false);
    vi.advanceTimersByTime(5_000);
    expect(response.isDestroyed).toBe(true);
  });

  it('pauses what it carries while the client is behind, and ends it with the connection', () => {
    const subscription = { key: 'news', pause: vi.fn(), end: vi.fn() };
    stream.carry(subscription);
    stream.send(EVENT);
    expect(subscription.pause).not.toHaveBeenCalled();
    for (let i = 0; i < 3; i++) stream.send(EVENT);
    expect(subscription.pause).toHaveBeenCalled();
    expect(subscription.end).not.toHaveBeenCalled();
    response.emit('close');
    expect(subscription.end).toHaveBeenCalledOnce();
    const late = { key: 'more news', pause: vi.fn(), end: vi.fn() };
    stream.carry(late);
    expect(late.end).toHaveBeenCalledOnce();
  });

  it('says nothing more once it has failed, and fails once', () => {
    const error = new ApiError(INVALID_TOKEN, 'It has ended.');
    stream.fail(error);
    const { text } = response;
    stream.send(EVENT);
    stream.fail(error);
    vi.advanceTimersByTime(20_000);
    expect(response.text).toBe(text);
    expect(text).toContain('event: error\ndata: {"error":{"code":"invalid_token"');
  });
});
