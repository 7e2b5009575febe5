import { ApiError } from '../errors.js';

/** 413: more came, or was announced, than the route takes. */
export function payloadTooLarge(bytesMax: number): ApiError {
  return new ApiError('payload_too_large', `Send at most ${bytesMax / 1024} KB in one request.`);
}
