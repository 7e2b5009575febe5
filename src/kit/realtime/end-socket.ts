import { randomUUID } from 'node:crypto';
import type { Socket } from 'socket.io';
import { type ApiError, errorEnvelope } from '../http/errors.js';

/** How long to wait for the last message to reach a client, which may have stopped reading. */
const LAST_WORDS_MS_MAX = 5_000;

/**
 * Disconnects a socket after an `error` event with the envelope. The backlog is sent first; if the client does not read
 * it in time, the connection is cut and the backlog dropped. Returns the request id in the envelope.
 */
export function endSocket(socket: Pick<Socket, 'emit' | 'disconnect' | 'conn'>, error: ApiError): string {
  const { conn } = socket;
  const requestId = randomUUID();
  socket.emit('error', errorEnvelope(error, requestId));
  socket.disconnect();
  const timer = setTimeout(() => {
    // Other namespaces may still use the connection, unless data is in flight to the client.
    if (waitingPackets(conn).length > 0 || !conn.transport.writable) conn.close(true);
  }, LAST_WORDS_MS_MAX).unref();
  conn.once('close', () => clearTimeout(timer));
  return requestId;
}

/** Packets that engine.io has not passed to the transport; no public API tells their number. */
export function waitingPackets(conn: Socket['conn']): readonly unknown[] {
  return (conn as unknown as { readonly writeBuffer: readonly unknown[] }).writeBuffer;
}
