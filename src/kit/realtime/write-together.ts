import type { Socket as TcpSocket } from 'node:net';
import type { Socket } from 'socket.io';

/** What ws and engine.io keep for themselves of a WebSocket's connection. */
interface WebSocketTransport {
  readonly socket?: { readonly _socket?: TcpSocket | null };
}

/** The TCP sockets whose writes of this turn wait for its end. */
let corked: TcpSocket[] = [];

/** The TCP socket below a client's WebSocket; none for who polls, and once it is closed. */
export function tcpSocketOf({ transport }: Socket['conn']): TcpSocket | undefined {
  if (transport.name !== 'websocket') return undefined;
  return (transport as unknown as WebSocketTransport).socket?._socket ?? undefined;
}

/**
 * Has all that is sent through a TCP socket in one turn of the event loop go out in one write, as Node does with
 * the answers of HTTP: a commit acknowledges many messages at once, and a write for each costs more than all of
 * their text.
 */
export function writeTogether(tcpSocket: TcpSocket): void {
  if (tcpSocket.writableCorked > 0) return;
  tcpSocket.cork();
  // One tick for all of them: an event of a room goes through a thousand of them in one turn.
  if (corked.push(tcpSocket) === 1) process.nextTick(uncorkAll);
}

function uncorkAll(): void {
  const tcpSockets = corked;
  corked = [];
  for (const tcpSocket of tcpSockets) tcpSocket.uncork();
}
