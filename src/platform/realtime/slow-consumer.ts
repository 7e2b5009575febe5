import { ApiError } from '../http/errors.js';

/** Ends a socket or stream whose client does not keep up; it may come back, and say where it was. */
export function slowConsumer(): ApiError {
  return new ApiError(
    'slow_consumer',
    'You read more slowly than there is to tell; connect again and say where you were.',
  );
}
