/**
 * Conditional requests. Readers that come again name what they have, and are told with 304 that it is still
 * right; writers name what they saw, and are refused with 412 where somebody was faster.
 */
import { hash } from 'node:crypto';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiNotModifiedResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ApiError } from './errors.js';

/** A tag as headers list it, without what says that it is weak. */
const TAG = /(?:W\/)?("[^"]*")/g;

/**
 * Answers `body` with an `ETag` of its content and when it was last modified, to be kept but asked for again
 * before every use. Where `If-None-Match`, or without it `If-Modified-Since`, shows that the caller has it
 * already, the status is 304 and Express leaves the body out. Dates count whole seconds; only the tag is exact.
 */
export function revalidated<T extends object | string>(response: Response, body: T, modifiedAt: Date): T {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const etag = `"${hash('sha256', text, 'base64url')}"`;
  response.setHeader('ETag', etag);
  response.setHeader('Last-Modified', modifiedAt.toUTCString());
  response.setHeader('Cache-Control', 'no-cache');
  if (isKnownTo(response.req, etag, modifiedAt)) response.status(304);
  return body;
}

/**
 * Unlike Express' own check it does not mind `Cache-Control: no-cache` in a request, which speaks to caches
 * on the way, and which `fetch` adds to every conditional request.
 */
function isKnownTo({ headers }: Request, etag: string, modifiedAt: Date): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return isAmongTags(tags, etag);
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(modifiedAt.getTime() / 1000) * 1000 <= since;
}

/** Whether `If-None-Match` names the tag; compared weakly, as RFC 9110 says for reading. */
export function isAmongTags(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(TAG)].some(([, tag]) => tag === etag);
}

/** Documents a route whose answer goes through `revalidated`. */
export function ApiRevalidated(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of an answer that the caller has.',
      schema: { type: 'string' },
    }),
    ApiHeader({
      name: 'If-Modified-Since',
      required: false,
      description: 'The `Last-Modified` of an answer that the caller has.',
      schema: { type: 'string' },
    }),
    ApiNotModifiedResponse({ description: 'What the caller has is still right.' }),
  );
}

/** Documents `If-Match` on a route that changes what another one answered with an `ETag`. */
export const ApiIfMatch = ApiHeader({
  name: 'If-Match',
  required: false,
  description:
    'The `ETag` of what is to be changed, as it was last read: nobody’s change in between is lost.',
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
