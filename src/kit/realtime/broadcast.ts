import type { Namespace } from 'socket.io';
import type { Connection } from './connection.js';
import { encodeEvent, type FeedEvent } from './encoded-event.js';
import { SocketConnection } from './socket-connection.js';

/**
 * Sends the events of a feed to the connections that have joined their topic. An event is encoded once for all sockets,
 * which are in the socket.io room with the topic's name, and once for all other connections.
 */
export class Broadcast {
  private namespace: Namespace | undefined;
  private readonly others = new Map<string, Set<Connection>>();

  /** Call it once, before any socket connects. */
  serve(namespace: Namespace): void {
    this.namespace = namespace;
  }

  /** Takes effect before it returns, as `leave` does. */
  join(topic: string, connection: Connection): void {
    if (connection instanceof SocketConnection) {
      void connection.socket.join(topic);
      return;
    }
    const members = this.others.get(topic);
    if (members === undefined) this.others.set(topic, new Set([connection]));
    else members.add(connection);
  }

  leave(topic: string, connection: Connection): void {
    if (connection instanceof SocketConnection) {
      void connection.socket.leave(topic);
      return;
    }
    const members = this.others.get(topic);
    if (members?.delete(connection) === true && members.size === 0) this.others.delete(topic);
  }

  send(topic: string, event: FeedEvent): void {
    if (this.namespace?.adapter.rooms.has(topic) === true) this.namespace.to(topic).emit(event.type, event);
    const members = this.others.get(topic);
    if (members === undefined) return;
    const encoded = encodeEvent(event);
    for (const connection of members) connection.send(encoded);
  }
}
