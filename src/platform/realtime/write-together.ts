import type { Socket as Connection } from 'node:net';
import type { Socket } from 'socket.io';

/** The connections whose writes of this turn wait for its end. */
let corked: Connection[] = [];

/**
 * Has all that is sent through a connection in one turn of the event loop go out in one write, as Node does with
 * the answers of HTTP: a commit acknowledges many messages at once, and a write for each costs more than all of
 * their text. For the event `flush` of engine.io, which comes before anything is handed to a transport.
 */
export function writeTogether({ transport, request: { socket } }: Socket['conn']): void {
  if (transport.name !== 'websocket' || socket.writableCorked > 0) return;
  socket.cork();
  // One tick for all of them: an event of a room goes through a thousand connections in one turn.
  if (corked.push(socket) === 1) process.nextTick(uncorkAll);
}

function uncorkAll(): void {
  const connections = corked;
  corked = [];
  for (const connection of connections) connection.uncork();
}
