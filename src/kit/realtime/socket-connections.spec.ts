import { EventEmitter } from 'node:events';
import type { Socket } from 'socket.io';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeEvent } from './encoded-event.js';
import type { SocketConnection } from './socket-connection.js';
import { SocketConnections } from './socket-connections.js';

/** A socket whose backlog the test sets. */
class WaitingSocket extends EventEmitter {
  readonly told: unknown[] = [];
  readonly nsp = { name: '/news' };
  isConnected = true;
  isCut = false;
  readonly conn = Object.assign(new EventEmitter(), {
    writeBuffer: [] as unknown[],
    transport: { writable: false },
    write: vi.fn(),
    close: () => {
      this.isCut = true;
    },
  });

  override emit(event: string, ...content: unknown[]): boolean {
    if (event !== 'disconnect') this.told.push({ event, content });
    return super.emit(event === 'error' ? 'told' : event, ...content);
  }

  disconnect(): void {
    this.isConnected = false;
    this.emit('disconnect');
  }

  waits(packets: number): void {
    this.conn.writeBuffer = new Array(packets).fill('packet');
  }
}

describe('SocketConnections', () => {
  let socket: WaitingSocket;
  let connections: SocketConnections;
  let connection: SocketConnection;
  let calls: string[];

  beforeEach(() => {
    vi.useFakeTimers();
    calls = [];
    connections = new SocketConnections();
    socket = new WaitingSocket();
    connection = connections.open(socket as unknown as Socket);
    connection.carry({
      key: 'news',
      pause: () => {
        calls.push('behind');
        connection.whenCaughtUp(() => calls.push('caught up'));
      },
      end: () => calls.push('ended'),
    });
  });
  afterEach(() => {
    connections.onModuleDestroy();
    vi.useRealTimers();
  });

  it('say when a client falls behind, and when it has caught up', () => {
    socket.waits(256);
    vi.advanceTimersByTime(1_000);
    expect(calls).toEqual([]);
    socket.waits(257);
    vi.advanceTimersByTime(250);
    expect(calls).toEqual(['behind']);
    expect(connection.isBehind).toBe(true);
    socket.waits(1);
    vi.advanceTimersByTime(1_000);
    expect(calls).toEqual(['behind']);
    socket.waits(0);
    vi.advanceTimersByTime(250);
    expect(calls).toEqual(['behind', 'caught up']);
  });

  it('notice at once when a packet comes to too many that wait', () => {
    socket.waits(256);
    socket.conn.emit('packetCreate');
    vi.advanceTimersByTime(1);
    expect(calls).toEqual([]);
    socket.waits(257);
    socket.conn.emit('packetCreate');
    expect(calls).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(calls).toEqual(['behind']);
    socket.disconnect();
    expect(socket.conn.listenerCount('packetCreate')).toBe(0);
    expect(calls).toEqual(['behind', 'ended']);
    expect(connections.of(socket as unknown as Socket)).toBeUndefined();
  });

  it('send what was encoded before as socket.io would', () => {
    connection.send(encodeEvent({ type: 'news.new', sequence: 7 }));
    expect(socket.conn.write).toHaveBeenCalledWith('2/news,["news.new",{"type":"news.new","sequence":7}]', {
      compress: false,
    });
  });

  it('drop a client that does not catch up in half a minute, and say why', () => {
    socket.waits(300);
    vi.advanceTimersByTime(29_000);
    expect(socket.isConnected).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect(socket.isConnected).toBe(false);
    expect(socket.told).toMatchObject([{ event: 'error', content: [{ error: { code: 'slow_consumer' } }] }]);
  });

  it('let go of what waits for a client that reads nothing at all', () => {
    socket.waits(300);
    vi.advanceTimersByTime(31_000);
    expect(socket.isCut).toBe(false);
    vi.advanceTimersByTime(5_000);
    expect(socket.isCut).toBe(true);
  });

  it('keep the connection of a client that has read its last words', () => {
    socket.waits(300);
    vi.advanceTimersByTime(31_000);
    socket.waits(0);
    socket.conn.transport.writable = true;
    vi.advanceTimersByTime(5_000);
    expect(socket.isCut).toBe(false);
  });

  it('drop one at once for whom more and more waits', () => {
    socket.waits(5_000);
    vi.advanceTimersByTime(250);
    expect(socket.isConnected).toBe(true);
    vi.advanceTimersByTime(250);
    expect(socket.isConnected).toBe(false);
  });
});
