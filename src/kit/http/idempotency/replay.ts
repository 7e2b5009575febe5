import type { Response } from 'express';
import { IDEMPOTENT_REPLAYED_HEADER } from './idempotency-key.js';

/** An answer that may be a repeat of an earlier one. */
export interface Replayable<T> {
  readonly body: T;
  readonly replayed: boolean;
}

/** Marks a replay with `Idempotent-Replayed: true` and, if given, its own status. */
export function answer<T>(response: Response, { body, replayed }: Replayable<T>, replayStatus?: number): T {
  if (replayed) {
    response.setHeader(IDEMPOTENT_REPLAYED_HEADER, 'true');
    if (replayStatus !== undefined) response.status(replayStatus);
  }
  return body;
}
