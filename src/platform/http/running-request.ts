import { AsyncLocalStorage } from 'node:async_hooks';
import type { Request } from 'express';
import { type SessionOrigin, sessionOriginOf } from './session-origin.js';

const running = new AsyncLocalStorage<Request>();

/** Runs what handles a request, so that it can ask for `presentOrigin` however deep. */
export function handleRequest(request: Request, handle: () => void): void {
  running.run(request, handle);
}

/** Where the request that is being handled comes from; null in background work and for sockets. */
export function presentOrigin(): SessionOrigin | null {
  const request = running.getStore();
  return request === undefined ? null : sessionOriginOf(request);
}
