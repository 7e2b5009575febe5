import { SLOW_CONSUMER } from '../http/error-codes.js';
import { ApiError } from '../http/errors.js';

/** How long a client that is behind may take to catch up before it is disconnected. */
export const STALLED_MS_MAX = 30_000;

/** Disconnects a slow client; it may reconnect with its cursor. */
export function slowConsumer(): ApiError {
  return new ApiError(
    SLOW_CONSUMER,
    'You read more slowly than there is to tell; connect again and say where you were.',
  );
}
