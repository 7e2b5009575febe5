import type { Request } from 'express';
import { type Caller, presentCaller } from '../turns/owner.js';
import { type SessionOrigin, sessionOriginOf } from './session-origin.js';

/** Where the request that is being handled comes from; null in background work and for sockets. */
export function presentOrigin(): SessionOrigin | null {
  const caller = presentCaller();
  return isRequest(caller) ? sessionOriginOf(caller) : null;
}

function isRequest(caller: Caller | undefined): caller is Request {
  return caller !== undefined && 'headers' in caller;
}
