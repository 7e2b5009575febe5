import type { OpenAPIObject } from '@nestjs/swagger';
import { bodyPolicyOf } from '../../http/body-policy.js';
import {
  MALFORMED_REQUEST,
  VALIDATION_FAILED,
  INVALID_CURSOR,
  INVALID_IDEMPOTENCY_KEY,
  AUTHENTICATION_REQUIRED,
  INVALID_TOKEN,
  INVALID_API_KEY,
  SIGNATURE_INVALID,
  SIGNATURE_REPLAYED,
  INSUFFICIENT_SCOPE,
  NOT_FOUND,
  IDEMPOTENCY_IN_PROGRESS,
  PAYLOAD_TOO_LARGE,
  UNSUPPORTED_MEDIA_TYPE,
  IDEMPOTENCY_KEY_REUSED,
  RATE_LIMITED,
  TOO_MANY_IN_FLIGHT,
  TEMPORARILY_UNAVAILABLE,
  CAPACITY,
  OUTCOME_UNKNOWN,
} from '../../http/error-codes.js';
import type { ErrorCode } from '../../http/error-code.js';
import { isIdempotent } from '../../http/idempotency/idempotent.js';
import { IDEMPOTENCY_KEY_HEADER } from '../../http/idempotency/idempotency-key.js';
import { credentialPolicyOf } from '../../security/credential-policy.js';
import { HEADERS, headersOfFailure, headersOfSuccess, takesHeader } from './headers.js';
import { describeSuccess } from './success-descriptions.js';
import type { DescribedRoute, Operation, Response } from './operations.js';

type Responses = Operation['responses'];
type Content = NonNullable<Response['content']>;

const ENVELOPE: Content = {
  'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } },
};

interface SharedFailure {
  readonly name: string;
  /** What a route may declare alone and still have no more to say than this response does. */
  readonly codes: readonly ErrorCode[];
  readonly description: string;
}

/** The failures that many operations have in the same words, by status. */
const SHARED = {
  400: {
    name: 'BadRequest',
    codes: [MALFORMED_REQUEST, VALIDATION_FAILED, INVALID_CURSOR, INVALID_IDEMPOTENCY_KEY],
    description: 'The request is not as described: `details` names the fields.',
  },
  401: {
    name: 'Unauthorized',
    codes: [AUTHENTICATION_REQUIRED, INVALID_TOKEN, INVALID_API_KEY, SIGNATURE_INVALID, SIGNATURE_REPLAYED],
    description: 'No credential, or a bad one.',
  },
  403: {
    name: 'Forbidden',
    codes: [INSUFFICIENT_SCOPE],
    description: 'The credential lacks a scope that this route needs.',
  },
  404: { name: 'NotFound', codes: [NOT_FOUND], description: '`not_found`' },
  409: {
    name: 'IdempotencyInProgress',
    codes: [IDEMPOTENCY_IN_PROGRESS],
    description: '`idempotency_in_progress`: the first request with this key is still running.',
  },
  413: {
    name: 'PayloadTooLarge',
    codes: [PAYLOAD_TOO_LARGE],
    description: 'The body is larger than the route takes.',
  },
  415: {
    name: 'UnsupportedMediaType',
    codes: [UNSUPPORTED_MEDIA_TYPE],
    description: 'The body has a media type that the route does not take.',
  },
  422: {
    name: 'IdempotencyKeyReused',
    codes: [IDEMPOTENCY_KEY_REUSED],
    description: '`idempotency_key_reused`: the key came with another request before.',
  },
  429: {
    name: 'TooManyRequests',
    codes: [RATE_LIMITED, TOO_MANY_IN_FLIGHT],
    description:
      'A budget of requests is spent; wait as long as `Retry-After` says. With `too_many_in_flight` too many of the caller’s requests have no answer yet.',
  },
  503: {
    name: 'Unavailable',
    codes: [TEMPORARILY_UNAVAILABLE, CAPACITY, OUTCOME_UNKNOWN],
    description:
      'The service cannot answer right now; with `outcome_unknown` it may have acted all the same: repeat the request with the same `Idempotency-Key` or `client_order_id`, under which it runs once, or look for the order by `GET /orders?client_order_id=`.',
  },
} as const satisfies Readonly<Record<number, SharedFailure>>;

type SharedStatus = keyof typeof SHARED;

const FAILURE = { name: 'Failure', description: 'Any other failure.' } as const;

/** Declares the failures that a route can have by what it is, and the headers of all its answers. */
export function completeResponses(route: DescribedRoute, tagged: boolean): void {
  const { operation } = route;
  const responses = operation.responses;
  const standardForm = contentOf(responses['default']);
  for (const status of impliedStatuses(route)) responses[status] ??= { description: '' };
  responses['default'] ??= { description: '' };
  for (const [key, response] of Object.entries(responses)) {
    if (response === undefined || '$ref' in response) continue;
    const status = Number(key);
    if (status < 400) {
      response.description = describeSuccess(operation, response);
      response.headers = { ...headersOfSuccess(route, status, tagged), ...response.headers };
    } else responses[key] = failureOf(status, response, standardForm);
  }
}

/** The shared failures and headers, as components. */
export function addSharedResponses(document: OpenAPIObject): void {
  const failures = [...Object.entries(SHARED).map(([status, each]) => ({ status: Number(status), ...each }))];
  const responses = Object.fromEntries(
    [...failures, { status: 500, ...FAILURE }].map(({ name, status, description }) => [
      name,
      { description, headers: headersOfFailure(status, true), content: ENVELOPE },
    ]),
  );
  document.components = { ...document.components, responses, headers: HEADERS };
}

/** What the guards, the edge and the interceptors answer, whatever the handler does. */
function impliedStatuses({ operation, controller, handler }: DescribedRoute): SharedStatus[] {
  const policy = credentialPolicyOf(controller, handler);
  const takesBody = bodyPolicyOf(controller, handler) !== undefined;
  const checksCredential = policy !== undefined && (policy.access !== 'public' || policy.identify);
  const checksScopes =
    policy?.access === 'scopes' || (policy?.access === 'authenticated' && policy.apiKeyScope !== undefined);
  return [
    // The query is read before the route is known, and so is a token in the address refused.
    400,
    ...(checksCredential ? ([401] as const) : []),
    ...(checksScopes ? ([403] as const) : []),
    ...(isIdempotent(handler) ? ([409] as const) : []),
    ...(takesBody ? ([413, 415] as const) : []),
    ...(takesHeader(operation, IDEMPOTENCY_KEY_HEADER) ? ([422] as const) : []),
    429,
    503,
  ];
}

/** The failure as declared; a reference to the shared one where it says no more. */
function failureOf(status: number, declared: Response, standardForm: Content | undefined): Responses[string] {
  const shared = isShared(status) ? SHARED[status] : undefined;
  const name = Number.isNaN(status) ? FAILURE.name : shared?.name;
  if (standardForm === undefined && name !== undefined && saysNoMore(declared, shared)) {
    return { $ref: `#/components/responses/${name}` };
  }
  const content = declared.content ?? standardForm ?? ENVELOPE;
  const description = declared.description || (shared ?? FAILURE).description;
  return { description, headers: { ...headersOfFailure(status), ...declared.headers }, content };
}

function saysNoMore({ description, content }: Response, shared: SharedFailure | undefined): boolean {
  if (content !== undefined) return false;
  const codes = description.split(', ').map((code) => code.replaceAll('`', ''));
  const known = shared?.codes.map(({ code }) => code) ?? [];
  return description === '' || codes.every((code) => known.includes(code));
}

function isShared(status: number): status is SharedStatus {
  return status in SHARED;
}

function contentOf(response: Responses[string]): Content | undefined {
  return response && 'content' in response ? response.content : undefined;
}

// A status in the table that a code does not have would be a lie of the document.
for (const [status, { codes }] of Object.entries(SHARED)) {
  for (const code of codes) {
    if (code.status !== Number(status)) throw new Error(`${code.code} is not answered with ${status}.`);
  }
}
