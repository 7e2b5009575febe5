/**
 * Conditional requests. Readers send the tag of their copy, and get 304 if it is current; writers send the tag they
 * read, and get 412 if somebody changed the resource since.
 */
import { hash } from 'node:crypto';
import { Headers, applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiNotModifiedResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { documented } from './documenting-route.js';
import { PRECONDITION_FAILED } from './error-codes.js';
import { ApiError } from './errors.js';

/** An entity tag in a header, without the prefix for weak tags. */
const TAG = /(?:W\/)?("[^"]*")/g;
const WEAK_PREFIX = /^W\//;

/**
 * Sends `body` with its `ETag` and its modification time, if known, cacheable but to be revalidated before each use; by
 * the caller alone where it took a credential. If `If-None-Match`, or without it `If-Modified-Since`, shows that the
 * caller has this version, the status is 304 and Express omits the body. Dates count whole seconds; only the tag is
 * exact. It is weak: the answer may be compressed in several ways.
 */
export function revalidated<T extends object | string>(response: Response, body: T, modifiedAt?: Date): T {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const etag = `W/"${hash('sha256', text, 'base64url')}"`;
  response.setHeader('ETag', etag);
  if (modifiedAt) response.setHeader('Last-Modified', modifiedAt.toUTCString());
  response.setHeader('Cache-Control', response.req.user === undefined ? 'no-cache' : 'private, no-cache');
  // Of a 304, too, which has no body to compress.
  response.vary('Accept-Encoding');
  if (isKnownTo(response.req, etag, modifiedAt)) response.status(304);
  return body;
}

/**
 * Unlike Express' own check it ignores `Cache-Control: no-cache` in a request: that concerns caches in between, and
 * `fetch` adds it to every conditional request.
 */
function isKnownTo({ headers }: Request, etag: string, modifiedAt: Date | undefined): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) return isAmongTags(tags, etag);
  if (modifiedAt === undefined) return false;
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return Math.floor(modifiedAt.getTime() / 1000) * 1000 <= since;
}

/** Whether `If-None-Match` names the tag; a weak comparison, as RFC 9110 requires for reads. */
export function isAmongTags(ifNoneMatch: string, etag: string): boolean {
  const strong = etag.replace(WEAK_PREFIX, '');
  return ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(TAG)].some(([, tag]) => tag === strong);
}

/** Documents a route whose answer goes through `revalidated`; not `dated` without a modification time. */
export function ApiRevalidated({ dated = true } = {}): MethodDecorator {
  const sinceHeader = ApiHeader({
    name: 'If-Modified-Since',
    required: false,
    description: 'The `Last-Modified` of an answer that the caller has.',
    schema: { type: 'string' },
  });
  return applyDecorators(
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of an answer that the caller has.',
      schema: { type: 'string' },
    }),
    ...(dated ? [sinceHeader] : []),
    ApiNotModifiedResponse({ description: 'What the caller has is still right.' }),
  );
}

/** The `If-Match` of a request that changes what another route answered with an `ETag`; for `requireMatch`. */
export function IfMatch(): ParameterDecorator {
  return documented(
    Headers('if-match'),
    ApiHeader({
      name: 'If-Match',
      required: false,
      description:
        'The `ETag` of what is to be changed, as it was last read: nobody’s change in between is lost.',
      schema: { type: 'string' },
    }),
  );
}

/**
 * Throws `precondition_failed` (412) unless the header names the resource's current tag, or is `*` or absent. A strong
 * comparison (RFC 9110): a weak tag never matches.
 */
export function requireMatch(ifMatch: string | undefined, etag: string): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (tags.includes('*') || tags.includes(etag)) return;
  throw new ApiError(
    PRECONDITION_FAILED,
    'It was changed since it was read; read it again and decide about the changes of others.',
  );
}
