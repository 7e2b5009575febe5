import { randomUUID } from 'node:crypto';
import type { Socket } from 'socket.io';
import { type ApiError, errorEnvelope } from '../http/errors.js';
import { Connection, type Subscription } from './connection.js';
import type { EncodedEvent } from './encoded-event.js';
import { endSocket, waitingPackets } from './end-socket.js';
import { slowConsumer, STALLED_MS_MAX } from './slow-consumer.js';

/** How many packets may wait for a client before it counts as slow. */
const BACKLOG_PACKETS_MAX = 256;
/** How many may wait for one that is slow and asks for more and more, such as acknowledgements that it never reads. */
const SLOW_BACKLOG_PACKETS_MAX = 4_096;
/** What a packet with an event begins with, in the protocol of socket.io. */
const EVENT_PACKET = 2;

/** A socket of one namespace. `SocketConnections` creates it and checks its backlog. */
export class SocketConnection<Each extends Subscription = Subscription> extends Connection<Each> {
  private behindSinceMs: number | null = null;
  private readonly waitingToCatchUp: (() => void)[] = [];

  /** `checkSoon` has the backlogs checked within a turn of the event loop, and not within this one. */
  constructor(
    readonly socket: Socket,
    checkSoon: () => void,
  ) {
    super();
    const { conn } = socket;
    // A busy room can exceed the limit between two checks.
    const onPacket = (): void => {
      if (waitingPackets(conn).length > BACKLOG_PACKETS_MAX && !this.isBehind) checkSoon();
    };
    conn.on('packetCreate', onPacket);
    socket.once('disconnect', () => {
      conn.off('packetCreate', onPacket);
      this.close();
    });
  }

  get isBehind(): boolean {
    return this.behindSinceMs !== null;
  }

  /** As `socket.emit`, without encoding again. */
  send({ type, json }: EncodedEvent): void {
    const { conn, nsp } = this.socket;
    conn.write(`${EVENT_PACKET}${nsp.name},["${type}",${json}]`, { compress: false });
  }

  async drained(): Promise<void> {
    const { conn } = this.socket;
    if (waitingPackets(conn).length === 0) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        conn.off('drain', done);
        conn.off('close', done);
        resolve();
      };
      conn.on('drain', done);
      conn.on('close', done);
    });
  }

  whenCaughtUp(callback: () => void): void {
    this.waitingToCatchUp.push(callback);
  }

  fail(error: ApiError): string {
    return endSocket(this.socket, error);
  }

  endSubscription(reason: ApiError | null): void {
    if (reason !== null) this.socket.emit('error', errorEnvelope(reason, randomUUID()));
  }

  /** Pauses and resumes the subscriptions of a slow client, and disconnects one that does not catch up. */
  checkBacklog(nowMs: number): void {
    const waiting = waitingPackets(this.socket.conn).length;
    if (this.behindSinceMs === null) {
      if (waiting <= BACKLOG_PACKETS_MAX) return;
      this.behindSinceMs = nowMs;
      this.pauseAll();
    } else if (waiting === 0) {
      this.behindSinceMs = null;
      for (const callback of this.waitingToCatchUp.splice(0)) callback();
    } else if (waiting > SLOW_BACKLOG_PACKETS_MAX || nowMs - this.behindSinceMs > STALLED_MS_MAX) {
      this.fail(slowConsumer());
    }
  }
}
