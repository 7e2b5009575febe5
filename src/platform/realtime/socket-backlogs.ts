import type { Socket } from 'socket.io';
import { endSocket, waitingPackets } from './end-socket.js';
import { slowConsumer } from './slow-consumer.js';

const CHECK_EVERY_MS = 250;
/** How many packets may wait for a client before it counts as slow. */
const BACKLOG_PACKETS_MAX = 256;
/** How many may wait for one that is slow and asks for more and more, such as acknowledgements that it never reads. */
const SLOW_BACKLOG_PACKETS_MAX = 4_096;
/** How long a slow client may take to catch up before it is given up. */
const STALLED_MS_MAX = 30_000;

/** What is done about clients that do not keep up. */
export interface BacklogPolicy {
  /** Too much waits for the client: send it no more. */
  onBehind(socket: Socket): void;
  /** Nothing waits any more: bring the client up to date. */
  onCaughtUp(socket: Socket): void;
}

/**
 * Looks after sockets whose clients read more slowly than they are written to, so that what waits for them
 * does not grow without end. Who does not catch up at all is told so and disconnected.
 */
export class SocketBacklogs {
  private readonly watched = new Map<Socket, { behindSinceMs: number | null }>();
  private readonly timer = setInterval(() => this.check(), CHECK_EVERY_MS).unref();
  private nextCheck: NodeJS.Immediate | undefined;

  constructor(private readonly policy: BacklogPolicy) {}

  watch(socket: Socket): void {
    const { conn } = socket;
    // What a busy room says between two checks would be more than may wait.
    const onPacket = (): void => {
      if (waitingPackets(conn).length > BACKLOG_PACKETS_MAX && !this.isBehind(socket)) this.checkSoon();
    };
    this.watched.set(socket, { behindSinceMs: null });
    conn.on('packetCreate', onPacket);
    socket.once('disconnect', () => {
      this.watched.delete(socket);
      conn.off('packetCreate', onPacket);
    });
  }

  isBehind(socket: Socket): boolean {
    return this.watched.get(socket)?.behindSinceMs != null;
  }

  stop(): void {
    clearInterval(this.timer);
    clearImmediate(this.nextCheck);
  }

  /** Not within the turn that sends, which may be about to send more. */
  private checkSoon(): void {
    this.nextCheck ??= setImmediate(() => {
      this.nextCheck = undefined;
      this.check();
    });
  }

  private check(): void {
    const nowMs = performance.now();
    for (const [socket, state] of this.watched) {
      const waiting = waitingPackets(socket.conn).length;
      if (state.behindSinceMs === null) {
        if (waiting <= BACKLOG_PACKETS_MAX) continue;
        state.behindSinceMs = nowMs;
        this.policy.onBehind(socket);
      } else if (waiting === 0) {
        state.behindSinceMs = null;
        this.policy.onCaughtUp(socket);
      } else if (waiting > SLOW_BACKLOG_PACKETS_MAX || nowMs - state.behindSinceMs > STALLED_MS_MAX) {
        endSocket(socket, slowConsumer());
      }
    }
  }
}
