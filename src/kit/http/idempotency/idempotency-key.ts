import { hash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Request } from 'express';
import { documentingRoute } from '../documenting-route.js';
import { INVALID_IDEMPOTENCY_KEY } from '../error-codes.js';
import { ApiError } from '../errors.js';

export const IDEMPOTENCY_KEY_HEADER = 'Idempotency-Key';

/** `true` on a replayed answer. */
export const IDEMPOTENT_REPLAYED_HEADER = 'Idempotent-Replayed';

const KEY_LENGTH_MAX = 255;
const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * The caller's idempotency key, `undefined` where the header is absent: 1 to 255 printable ASCII
 * characters, raw or as a quoted string (then `\"` and `\\` stand for `"` and `\`).
 * Throws `invalid_idempotency_key` (400).
 */
export function parseIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const key = text.startsWith('"') ? unquote(text) : text;
  if (key === undefined || key.length > KEY_LENGTH_MAX || !PRINTABLE_ASCII.test(key)) {
    throw new ApiError(
      INVALID_IDEMPOTENCY_KEY,
      `Send an ${IDEMPOTENCY_KEY_HEADER} of 1 to ${KEY_LENGTH_MAX} printable ASCII characters, raw or in double quotes.`,
    );
  }
  return key;
}

/** Documents the header on a route. */
export const documentIdempotencyKey = ApiHeader({
  name: IDEMPOTENCY_KEY_HEADER,
  required: false,
  description:
    'Makes the request safe to repeat for 24 hours: the same key and body give the first answer again, with `Idempotent-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: KEY_LENGTH_MAX },
});

/** Passes the parsed `Idempotency-Key` to a handler, and documents the header on its route. */
export const IdempotencyKeyHeader = createParamDecorator(
  (_data: unknown, context: ExecutionContext): string | undefined =>
    idempotencyKeyOf(context.switchToHttp().getRequest<Request>()),
  [documentingRoute(documentIdempotencyKey)],
);

/** The key that came with a request, parsed. Throws `invalid_idempotency_key` (400). */
export function idempotencyKeyOf(request: Request): string | undefined {
  return parseIdempotencyKey(request.headers['idempotency-key'] as string | undefined);
}

/**
 * A digest of a request, independent of the order of its body's fields. The same key with another fingerprint is
 * refused with `idempotency_key_reused`.
 */
export function fingerprintOf(method: string, route: string, body: unknown): string {
  return hash('sha256', `${method} ${route}\n${canonicalJson(body)}`, 'hex');
}

function unquote(text: string): string | undefined {
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(text);
  return quoted?.[1]?.replace(/\\(["\\])/g, '$1');
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}
