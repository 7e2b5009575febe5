import type { Socket as Connection } from 'node:net';
import type { Socket } from 'socket.io';

const corked = new WeakSet<Connection>();

/**
 * Has all that is sent through a connection in one turn of the event loop go out in one write, as Node does with
 * the answers of HTTP: a commit acknowledges many messages at once, and a write for each costs more than all of
 * their text. For the event `flush` of engine.io, which comes before anything is handed to a transport.
 */
export function writeTogether({ transport, request: { socket } }: Socket['conn']): void {
  if (transport.name !== 'websocket' || corked.has(socket)) return;
  corked.add(socket);
  socket.cork();
  process.nextTick(() => {
    corked.delete(socket);
    socket.uncork();
  });
}
