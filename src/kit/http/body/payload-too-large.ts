import { ApiError } from '../errors.js';

/** 413: the body, or its declared length, exceeds the route's limit. */
export function payloadTooLarge(bytesMax: number): ApiError {
  return new ApiError('payload_too_large', `Send at most ${bytesMax / 1024} KB in one request.`);
}
