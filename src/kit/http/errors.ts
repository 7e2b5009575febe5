import { CodedError, type ServiceFailure, type ServiceFailureCode } from '../coded-error.js';
import type { ErrorCode } from './error-code.js';
import {
  CAPACITY,
  INTERNAL_ERROR,
  OUTCOME_UNKNOWN,
  RATE_LIMITED,
  TEMPORARILY_UNAVAILABLE,
  TOO_MANY_IN_FLIGHT,
  VALIDATION_FAILED,
} from './error-codes.js';

/** How the service's own failures are answered; one without a status does not compile. */
const FAILURES: Readonly<Record<ServiceFailureCode, ErrorCode>> = {
  internal_error: INTERNAL_ERROR,
  temporarily_unavailable: TEMPORARILY_UNAVAILABLE,
  capacity: CAPACITY,
  outcome_unknown: OUTCOME_UNKNOWN,
  rate_limited: RATE_LIMITED,
  too_many_in_flight: TOO_MANY_IN_FLIGHT,
};

/** One field that a request got wrong. `field` is a path such as `orders.3.price`. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The body of every failure of every route, socket and stream. */
export interface ErrorEnvelope {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly request_id: string;
    /** Only with `validation_failed`, `invalid_input`, and `account_not_empty`, where an account is the field. */
    readonly details?: readonly FieldError[];
  };
}

export interface ApiErrorOptions {
  readonly details?: readonly FieldError[];
  /** Headers of the answer, such as `WWW-Authenticate` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The internal cause; logged with a 5xx, never sent. */
  readonly cause?: unknown;
}

/** How long a caller should wait before it tries again after a 503 that says nothing else. */
const RETRY_AFTER_S = '1';

/** A failure as HTTP, sockets and streams answer it. */
export class ApiError extends CodedError {
  readonly code: string;
  readonly status: number;
  readonly details: readonly FieldError[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ code, status }: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.details = options.details;
    this.headers = { ...(this.status === 503 && { 'Retry-After': RETRY_AFTER_S }), ...options.headers };
  }

  /** Whether something thrown is an error with this code. */
  static is(error: unknown, { code }: ErrorCode): error is ApiError {
    return error instanceof ApiError && error.code === code;
  }

  /** The answer where the service itself has failed, under the same code and words. */
  static fromFailure(failure: ServiceFailure): ApiError {
    const { code, message, retryAfterS, cause = failure } = failure;
    const headers = retryAfterS === undefined ? undefined : { 'Retry-After': String(retryAfterS) };
    return new ApiError(FAILURES[code], message, { headers, cause });
  }

  static validation(details: readonly FieldError[]): ApiError {
    const fields = details.map((detail) => detail.field).join(', ');
    return new ApiError(VALIDATION_FAILED, `Correct these fields and send the request again: ${fields}.`, {
      details,
    });
  }
}

/** The envelope of a failure, for HTTP answers, socket acknowledgements and batch results alike. */
export function errorEnvelope(error: ApiError, requestId: string): ErrorEnvelope {
  const { code, message, details } = error;
  return {
    error: details
      ? { code, message, request_id: requestId, details }
      : { code, message, request_id: requestId },
  };
}
