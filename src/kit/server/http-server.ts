import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { API_VERSION } from './edge.js';
import { HEADERS_TOO_LARGE, REQUEST_TIMEOUT, MALFORMED_REQUEST } from '../http/error-codes.js';
import { ApiError, errorEnvelope } from '../http/errors.js';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than what load balancers keep, so that they and not the service end an idle connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const CONNECTIONS_MAX = 10_000;
const DRAIN_POLL_MS = 20;
/** How long a connection that has sent no request may still send one once the server drains. */
const DRAIN_UNUSED_MS = 500;

/**
 * Connections that have never carried a request, as browsers and pools open them in advance. Includes sockets, which
 * are ended earlier.
 */
const unusedConnections = new WeakMap<Server, Set<Socket>>();

/** Sets the limits of the server, and answers malformed requests with the envelope too. */
export function configureServer(server: Server): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.maxConnections = CONNECTIONS_MAX;
  server.on('clientError', answerClientError);

  const unused = new Set<Socket>();
  unusedConnections.set(server, unused);
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }) => unused.delete(socket));
}

/**
 * Stops accepting connections, lets running requests finish, and closes the rest after `graceMs`. Resolves when no
 * connection is left.
 */
export async function drainServer(server: Server, graceMs: number): Promise<void> {
  if (!server.listening) return;
  // Pending input is read first: a connection whose request is still unread counts as idle.
  await turn();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // No event reports that a keep-alive connection has turned idle, so this polls.
  const poll = setInterval(() => setImmediate(() => server.closeIdleConnections()), DRAIN_POLL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  // Node does not count a connection without any request as idle, and would wait for it.
  const endUnused = (): void => {
    for (const socket of unusedConnections.get(server) ?? []) socket.destroy();
  };
  // After a stall, timers come before the requests that arrived meanwhile.
  const unused = setTimeout(() => setImmediate(endUnused), DRAIN_UNUSED_MS);
  server.closeIdleConnections();
  await closed;
  clearInterval(poll);
  clearTimeout(deadline);
  clearTimeout(unused);
}

function answerClientError(cause: NodeJS.ErrnoException, socket: Socket): void {
  if (cause.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = randomUUID();
  const error = clientErrorOf(cause);
  const body = JSON.stringify(errorEnvelope(error, requestId));
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      `Tradepost-Version: ${API_VERSION}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function clientErrorOf(cause: NodeJS.ErrnoException): ApiError {
  switch (cause.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(HEADERS_TOO_LARGE, 'Send at most 16 KB of headers.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(REQUEST_TIMEOUT, 'Send the whole request within 30 s, its headers within 10 s.');
    default:
      return new ApiError(MALFORMED_REQUEST, 'Send a well-formed HTTP/1.1 request.');
  }
}
