import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Socket } from 'socket.io';
import type { Subscription } from './connection.js';
import { SocketConnection } from './socket-connection.js';

const CHECK_EVERY_MS = 250;

/** The sockets that carry subscriptions. One timer checks the backlogs of all of them. */
@Injectable()
export class SocketConnections implements OnModuleDestroy {
  private readonly connections = new Map<Socket, SocketConnection>();
  private readonly timer = setInterval(() => this.checkBacklogs(), CHECK_EVERY_MS).unref();
  private nextCheck: NodeJS.Immediate | undefined;

  onModuleDestroy(): void {
    clearInterval(this.timer);
    clearImmediate(this.nextCheck);
  }

  /** Call it once for each socket, when it has connected. */
  open<Each extends Subscription = Subscription>(socket: Socket): SocketConnection<Each> {
    const connection = new SocketConnection<Each>(socket, () => this.checkSoon());
    this.connections.set(socket, connection);
    connection.onClose(() => this.connections.delete(socket));
    return connection;
  }

  /** Undefined once the socket is disconnected. */
  of<Each extends Subscription = Subscription>(socket: Socket): SocketConnection<Each> | undefined {
    return this.connections.get(socket) as unknown as SocketConnection<Each> | undefined;
  }

  /** Not in the current turn, which may send more. */
  private checkSoon(): void {
    this.nextCheck ??= setImmediate(() => {
      this.nextCheck = undefined;
      this.checkBacklogs();
    });
  }

  private checkBacklogs(): void {
    const nowMs = performance.now();
    for (const connection of this.connections.values()) connection.checkBacklog(nowMs);
  }
}
