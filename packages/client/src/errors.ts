import type { components } from './generated/openapi.js';

/** The codes that the service documents. */
export type ServiceErrorCode = components['schemas']['Error']['code'];

/** What goes wrong without an answer of the service, or with an answer that is none of its own. */
export type ClientErrorCode = 'connection_failed' | 'timeout' | 'invalid_response' | 'stream_out_of_sync';

export type ErrorCode = ServiceErrorCode | ClientErrorCode;

export interface ErrorDetail {
  readonly field: string;
  readonly message: string;
}

export interface TradepostErrorFields {
  readonly code: ErrorCode;
  readonly message: string;
  /** The operation, such as `POST /orders`: never its parameters. */
  readonly operation: string;
  /** 0 without an answer, and for what a socket refuses. */
  readonly status?: number;
  readonly details?: readonly ErrorDetail[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly attempts?: number;
}

/** A call or a stream that failed. It never carries a credential, a query or a body that was sent. */
export class TradepostError extends Error {
  override readonly name = 'TradepostError';
  /** What is wrong and what to do, in the service's words, for people. */
  readonly reason: string;
  /** A plugin of the service may send codes of its own, which the type does not list. */
  readonly code: ErrorCode;
  readonly status: number;
  readonly operation: string;
  readonly details: readonly ErrorDetail[];
  /** What the service logged the request under. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** How often the request was sent. After more than one, a 404 or 409 may mean that an earlier one succeeded. */
  readonly attempts: number;

  constructor(fields: TradepostErrorFields) {
    super(`${fields.operation}: ${fields.code}: ${fields.message}`);
    this.reason = fields.message;
    this.code = fields.code;
    this.status = fields.status ?? 0;
    this.operation = fields.operation;
    this.details = fields.details ?? [];
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
    this.attempts = fields.attempts ?? 1;
  }
}

const MESSAGE_LENGTH_MAX = 1_000;
const CODE = /^[a-z][a-z0-9_]{0,63}$/;

/** The fields of an answered error, in the service's form or in that of RFC 6749; undefined for anything else. */
export function readError(
  body: unknown,
): Pick<TradepostErrorFields, 'code' | 'message' | 'details' | 'requestId'> | undefined {
  if (!isObject(body)) return undefined;
  const { error } = body;
  if (typeof error === 'string' && CODE.test(error)) {
    return { code: error as ErrorCode, message: textOf(body['error_description']) };
  }
  if (!isObject(error)) return undefined;
  const { code, message, details, request_id: requestId } = error;
  if (typeof code !== 'string' || !CODE.test(code)) return undefined;
  return {
    code: code as ErrorCode,
    message: textOf(message),
    details: Array.isArray(details) ? details.filter(isDetail) : undefined,
    requestId: typeof requestId === 'string' ? requestId : undefined,
  };
}

const CREDENTIAL_CODES: readonly ErrorCode[] = [
  'authentication_required',
  'invalid_token',
  'invalid_api_key',
  'signature_invalid',
  'signature_replayed',
];

/** Codes that say that the credential no longer counts. */
export function isCredentialError(code: ErrorCode): boolean {
  return CREDENTIAL_CODES.includes(code);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isDetail(value: unknown): value is ErrorDetail {
  return isObject(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string';
}

function textOf(message: unknown): string {
  return typeof message === 'string' ? message.slice(0, MESSAGE_LENGTH_MAX) : 'no message';
}
