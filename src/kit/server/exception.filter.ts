import {
  Catch,
  HttpException,
  Logger,
  NotFoundException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { ServiceFailure } from '../coded-error.js';
import { isDatabaseUnavailable } from '../database/unavailable.js';
import {
  MALFORMED_REQUEST,
  AUTHENTICATION_REQUIRED,
  FORBIDDEN,
  NOT_FOUND,
  METHOD_NOT_ALLOWED,
  REQUEST_TIMEOUT,
  CONFLICT,
  PAYLOAD_TOO_LARGE,
  URI_TOO_LONG,
  UNSUPPORTED_MEDIA_TYPE,
  UNPROCESSABLE,
  RATE_LIMITED,
  HEADERS_TOO_LARGE,
  TEMPORARILY_UNAVAILABLE,
  INTERNAL_ERROR,
  ROUTE_NOT_FOUND,
  INVALID_TOKEN,
  INVALID_API_KEY,
  SIGNATURE_INVALID,
  SIGNATURE_REPLAYED,
} from '../http/error-codes.js';
import type { ErrorCode } from '../http/error-code.js';
import { ApiError, errorEnvelope } from '../http/errors.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { NearRoutes } from '../http/near-routes.js';
import { allowedMethods } from '../http/routes.js';

/** The error code for a status that a framework or a plugin throws without a code of ours. */
const CODE_OF_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [400, MALFORMED_REQUEST],
  [401, AUTHENTICATION_REQUIRED],
  [403, FORBIDDEN],
  [404, NOT_FOUND],
  [405, METHOD_NOT_ALLOWED],
  [408, REQUEST_TIMEOUT],
  [409, CONFLICT],
  [413, PAYLOAD_TOO_LARGE],
  [414, URI_TOO_LONG],
  [415, UNSUPPORTED_MEDIA_TYPE],
  [422, UNPROCESSABLE],
  [429, RATE_LIMITED],
  [431, HEADERS_TOO_LARGE],
  [503, TEMPORARILY_UNAVAILABLE],
]);

/** Errors that unidentified callers get; no other budget limits how often such callers may ask. */
const REFUSED_UNIDENTIFIED: ReadonlySet<string> = new Set(
  [
    ROUTE_NOT_FOUND,
    METHOD_NOT_ALLOWED,
    AUTHENTICATION_REQUIRED,
    INVALID_TOKEN,
    INVALID_API_KEY,
    SIGNATURE_INVALID,
    SIGNATURE_REPLAYED,
    MALFORMED_REQUEST,
    PAYLOAD_TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
  ].map(({ code }) => code),
);

/**
 * The API error for anything thrown. Errors of the caller keep their messages; anything unexpected becomes
 * `internal_error`, which reveals nothing internal.
 */
export function toApiError(exception: unknown): ApiError {
  if (exception instanceof ApiError) return exception;
  if (exception instanceof ServiceFailure) return ApiError.fromFailure(exception);
  const status = statusOf(exception);
  if (status !== undefined && status < 500) {
    return new ApiError(CODE_OF_STATUS.get(status) ?? MALFORMED_REQUEST, messageOf(exception), {
      cause: exception,
    });
  }
  if (status === 503 || isDatabaseUnavailable(exception)) {
    const message = 'The service cannot answer right now; try again shortly.';
    return new ApiError(TEMPORARILY_UNAVAILABLE, message, { cause: exception });
  }
  return new ApiError(INTERNAL_ERROR, 'The service failed to answer; tell its operator the request_id.', {
    cause: exception,
  });
}

/** Answers every failure of every HTTP request with the envelope, including failures before and outside routing. */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  private readonly logger = new Logger('HTTP');

  constructor(
    private readonly limits: RateLimits,
    private readonly near: NearRoutes,
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = isRouteMiss(exception, request) ? this.routeMiss(request) : toApiError(exception);
    this.log(error, request.id);
    if (response.headersSent) {
      // The client can recognise a truncated answer only by its broken connection.
      response.destroy();
      return;
    }
    if (request.user !== undefined || !REFUSED_UNIDENTIFIED.has(error.code)) {
      sendError(response, error, request.id);
      return;
    }
    this.limits.consume('refusals', this.limits.addressBucketOf(request)).then(
      () => sendError(response, error, request.id),
      (spent: unknown) => sendError(response, toApiError(spent), request.id),
    );
  }

  private routeMiss(request: Request): ApiError {
    const methods = allowedMethods(request.app, request.path);
    if (methods.length === 0) {
      const near = this.near.of(request.method, request.path);
      const hint = near.length === 0 ? '' : `did you mean ${near.join(', ')}? `;
      return new ApiError(ROUTE_NOT_FOUND, `No such route; ${hint}/openapi.json lists them all.`);
    }
    const allow = methods.join(', ');
    const message = isPreflight(request)
      ? 'Pages of other origins may not call this service: its operator lists those that may in CORS_ORIGINS.'
      : `Use one of ${allow} on this path.`;
    return new ApiError(METHOD_NOT_ALLOWED, message, { headers: { Allow: allow } });
  }

  /** Errors of the caller are in the request log; our own failures need their cause logged. */
  private log(error: ApiError, requestId: string): void {
    if (error.status < 500) return;
    const line = { msg: error.code, request_id: requestId, err: error.cause ?? error };
    if (error.status === 503) this.logger.warn(line);
    else this.logger.error(line);
  }
}

/** Writes the envelope, and removes the body headers that an unfinished handler has set. */
export function sendError(response: Response, error: ApiError, requestId: string): void {
  for (const name of ['Content-Length', 'Content-Encoding', 'Content-Disposition', 'Last-Modified', 'ETag']) {
    response.removeHeader(name);
  }
  for (const [name, value] of Object.entries(error.headers)) response.setHeader(name, value);
  const text = JSON.stringify(errorEnvelope(error, requestId));
  response.statusCode = error.status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/** Nest answers an unmatched request with a `NotFoundException`; Express has then set no route. */
function isRouteMiss(exception: unknown, request: Request): boolean {
  return exception instanceof NotFoundException && request.route === undefined;
}

/** A browser asks so before a page of another origin may send its request; where origins are listed, CORS answers. */
function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

function statusOf(exception: unknown): number | undefined {
  if (exception instanceof HttpException) return exception.getStatus();
  // Express and its parsers throw plain errors with a status (http-errors).
  if (!(exception instanceof Error)) return undefined;
  const { status, statusCode } = exception as { status?: unknown; statusCode?: unknown };
  const number = status ?? statusCode;
  return typeof number === 'number' && number >= 400 && number < 600 ? number : undefined;
}

function messageOf(exception: unknown): string {
  return exception instanceof Error && exception.message !== ''
    ? exception.message
    : 'The request was refused.';
}
