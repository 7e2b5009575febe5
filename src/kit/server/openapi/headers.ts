import type { OpenAPIObject } from '@nestjs/swagger';
import { HEADERS_METADATA } from '@nestjs/common/internal';
import {
  IDEMPOTENCY_KEY_HEADER,
  IDEMPOTENT_REPLAYED_HEADER,
} from '../../http/idempotency/idempotency-key.js';
import { PREFERENCE_APPLIED_HEADER } from '../../http/prefer.js';
import { carriedReceiptOf, RECEIPT } from '../../http/receipts/carried-receipt.js';
import { API_VERSION } from '../edge.js';
import type { DescribedRoute, Operation, Response } from './operations.js';

type Headers = NonNullable<Response['headers']>;
type HeaderComponents = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

const TEXT = { type: 'string' } as const;

/** The headers that answers have beside those of HTTP itself, as components of the document. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request: the caller’s own where it sent one that is well formed.',
    schema: TEXT,
    required: true,
  },
  'Tradepost-Version': {
    description: 'The version of the API.',
    required: true,
    schema: TEXT,
    example: API_VERSION,
  },
  'RateLimit-Policy': {
    description: 'The budget that the request was charged to: `q` requests in each window of `w` seconds.',
    schema: TEXT,
    example: '"reads";q=2000;w=1',
  },
  RateLimit: {
    description: 'What is left of that budget: `r` requests, until it is full again in `t` seconds.',
    schema: TEXT,
    example: '"reads";r=1999;t=1',
  },
  'Retry-After': {
    description: 'After how many seconds to try again.',
    schema: { type: 'integer', minimum: 1 },
    required: true,
  },
  'WWW-Authenticate': {
    description: 'The challenge, as RFC 6750 words it.',
    required: true,
    schema: TEXT,
    example: 'Bearer realm="tradepost"',
  },
  Challenge: {
    description: 'The challenge, where another credential would do.',
    schema: TEXT,
    example: 'Bearer realm="tradepost", error="insufficient_scope", scope="markets:trade"',
  },
  [IDEMPOTENT_REPLAYED_HEADER]: {
    description: 'Sent where this is the answer of an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
  [PREFERENCE_APPLIED_HEADER]: {
    description: 'Sent where the answer carries the receipt that was asked for.',
    schema: { type: 'string', enum: [RECEIPT] },
  },
  ETag: { description: 'The tag of this version.', schema: TEXT, required: true },
  'Last-Modified': { description: 'When it last changed, to the second.', schema: TEXT },
  'Cache-Control': { description: 'How caches may keep the answer.', schema: TEXT },
  Digest: { description: 'SHA-256 of the bytes that are sent (RFC 3230).', schema: TEXT },
  'Repr-Digest': { description: 'The same as RFC 9530 has it.', schema: TEXT },
  'X-Rate-Limit': {
    description: 'How many reads an hour the user may make.',
    schema: { type: 'integer', format: 'int32' },
  },
  'X-Expires-After': {
    description: 'When the session ends by itself, in UTC.',
    schema: { type: 'string', format: 'date-time' },
  },
  Location: {
    description: 'Where to go on.',
    schema: { type: 'string', format: 'uri-reference' },
    required: true,
  },
} as const satisfies HeaderComponents;

export type HeaderName = keyof typeof HEADERS;

/** Components for another case of the header that they describe. */
const VARIANTS: readonly string[] = ['Challenge' satisfies HeaderName];

/** What pages of other origins may read. */
export const EXPOSED_HEADERS = Object.keys(HEADERS).filter((name) => !VARIANTS.includes(name));

/** Set by the edge, so every answer has them. */
const OF_EVERY_ANSWER = ['X-Request-Id', 'Tradepost-Version'] as const;

/** Set by the guard that charges the request, which runs after the one that asks for a credential. */
const OF_A_CHARGED_REQUEST = ['RateLimit-Policy', 'RateLimit'] as const;

/** `fromGuard` where only the guard of credentials answers so, always with a challenge. */
export function headersOfFailure(status: number, fromGuard = false): Headers {
  const asksForCredential = status === 401 || status === 403;
  const headers = references([
    ...OF_EVERY_ANSWER,
    ...(asksForCredential ? (['WWW-Authenticate'] as const) : OF_A_CHARGED_REQUEST),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  ]);
  if (asksForCredential && !fromGuard) headers['WWW-Authenticate'] = reference('Challenge');
  return headers;
}

/** The headers of a success or a redirection; `tagged` where what it answers is changed with `If-Match`. */
export function headersOfSuccess(route: DescribedRoute, status: number, tagged: boolean): Headers {
  const { operation, handler } = route;
  const isRevalidated = '304' in operation.responses && (status === 200 || status === 304);
  const names = new Set<HeaderName>([...OF_EVERY_ANSWER, ...OF_A_CHARGED_REQUEST]);
  if (takesHeader(operation, IDEMPOTENCY_KEY_HEADER)) names.add(IDEMPOTENT_REPLAYED_HEADER);
  if (carriedReceiptOf(handler) !== undefined) names.add(PREFERENCE_APPLIED_HEADER);
  if (isRevalidated || (tagged && status === 200)) names.add('ETag').add('Cache-Control');
  if (isRevalidated && takesHeader(operation, 'If-Modified-Since')) names.add('Last-Modified');
  if (status === 301 || status === 303) names.add('Location');
  for (const name of declaredHeaders(handler)) if (name in HEADERS) names.add(name as HeaderName);
  return references([...names]);
}

export function takesHeader({ parameters = [] }: Operation, header: string): boolean {
  return parameters.some((each) => 'in' in each && each.in === 'header' && each.name === header);
}

/** The names in `@Header()` of a handler. */
function declaredHeaders(handler: object): string[] {
  const declared = (Reflect.getMetadata(HEADERS_METADATA, handler) ?? []) as { readonly name: string }[];
  return declared.map(({ name }) => name);
}

function references(names: readonly HeaderName[]): Headers {
  return Object.fromEntries(names.map((name) => [name, reference(name)]));
}

function reference(name: HeaderName): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}
