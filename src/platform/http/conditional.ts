/**
 * Conditional requests. Readers that come again name what they have, and are told with 304 that it is still
 * right; writers name what they saw, and are refused with 412 where somebody was faster.
 */
import { hash } from 'node:crypto';
import { ApiHeader } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiError } from './errors.js';

/**
 * Answers `body` with an `ETag` of its content and when it was last modified, to be kept but asked for again
 * before every use. Where `If-None-Match`, or else `If-Modified-Since`, shows that the caller has it already,
 * Express sends 304 without the body. Dates count whole seconds; only the tag is exact.
 */
export function revalidated<T extends object | string>(response: Response, body: T, modifiedAt: Date): T {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.setHeader('ETag', `"${hash('sha256', text, 'base64url')}"`);
  response.setHeader('Last-Modified', modifiedAt.toUTCString());
  response.setHeader('Cache-Control', 'no-cache');
  return body;
}

/** Documents `If-Match` on a route that changes what another one answered with an `ETag`. */
export const ApiIfMatch = ApiHeader({
  name: 'If-Match',
  required: false,
  description: 'The `ETag` of what is to be changed, as it was last read: nobody’s change in between is lost.',
  schema: { type: 'string' },
});

/**
 * Throws `precondition_failed` (412) unless the header names the tag that a resource has now, or is `*`, or
 * there is none. Tags are compared strongly (RFC 9110): a weak one never matches.
 */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (tags.includes('*') || tags.includes(etag)) return;
  throw new ApiError(
    'precondition_failed',
    'It was changed since it was read; read it again and decide about the changes of others.',
  );
}
