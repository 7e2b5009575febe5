import { randomUUID } from 'node:crypto';
import type { Socket } from 'socket.io';
import { type ApiError, errorEnvelope } from '../http/errors.js';

/** How long the last words to a client may take, which may be one that reads no more. */
const LAST_WORDS_MS_MAX = 5_000;

/**
 * Disconnects a socket and says why, by an `error` event with the envelope. What waits for the client goes out
 * before that; a client that does not read it in time loses its connection, and what waits is let go. Returns the
 * request id that the client is told.
 */
export function endSocket(socket: Pick<Socket, 'emit' | 'disconnect' | 'conn'>, error: ApiError): string {
  const { conn } = socket;
  const requestId = randomUUID();
  socket.emit('error', errorEnvelope(error, requestId));
  socket.disconnect();
  const timer = setTimeout(() => {
    // The connection may be good for another namespace, unless something is still under way to the client.
    if (waitingPackets(conn).length > 0 || !conn.transport.writable) conn.close(true);
  }, LAST_WORDS_MS_MAX).unref();
  conn.once('close', () => clearTimeout(timer));
  return requestId;
}

/** What engine.io has not handed to the connection yet; it tells nobody else how much that is. */
export function waitingPackets(conn: Socket['conn']): readonly unknown[] {
  return (conn as unknown as { readonly writeBuffer: readonly unknown[] }).writeBuffer;
}
