import type { Socket as Connection } from 'node:net';
import type { Socket } from 'socket.io';

/** What ws and engine.io keep for themselves of a WebSocket's connection. */
interface WebSocketTransport {
  readonly socket?: { readonly _socket?: Connection | null };
}

/** The connections whose writes of this turn wait for its end. */
let corked: Connection[] = [];

/** The connection below a client's WebSocket; none for who polls, and once it is closed. */
export function connectionOf({ transport }: Socket['conn']): Connection | undefined {
  if (transport.name !== 'websocket') return undefined;
  return (transport as unknown as WebSocketTransport).socket?._socket ?? undefined;
}

/**
 * Has all that is sent through a connection in one turn of the event loop go out in one write, as Node does with
 * the answers of HTTP: a commit acknowledges many messages at once, and a write for each costs more than all of
 * their text.
 */
export function writeTogether(connection: Connection): void {
  if (connection.writableCorked > 0) return;
  connection.cork();
  // One tick for all of them: an event of a room goes through a thousand connections in one turn.
  if (corked.push(connection) === 1) process.nextTick(uncorkAll);
}

function uncorkAll(): void {
  const connections = corked;
  corked = [];
  for (const connection of connections) connection.uncork();
}
