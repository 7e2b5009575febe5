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
import { ApiError, errorEnvelope, type ErrorCode } from '../http/errors.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { allowedMethods } from '../http/routes.js';

/** The error code for a status that a framework or a plugin throws without a code of ours. */
const CODE_OF_STATUS: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'malformed_request'],
  [401, 'authentication_required'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [408, 'request_timeout'],
  [409, 'conflict'],
  [413, 'payload_too_large'],
  [414, 'uri_too_long'],
  [415, 'unsupported_media_type'],
  [422, 'unprocessable'],
  [429, 'rate_limited'],
  [431, 'headers_too_large'],
  [503, 'temporarily_unavailable'],
]);

/** Errors that unidentified callers get; no other budget limits how often such callers may ask. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set([
  'route_not_found',
  'method_not_allowed',
  'authentication_required',
  'invalid_token',
  'invalid_api_key',
  'signature_invalid',
  'signature_replayed',
  'malformed_request',
  'payload_too_large',
  'unsupported_media_type',
]);

/**
 * The API error for anything thrown. Errors of the caller keep their messages; anything unexpected becomes
 * `internal_error`, which reveals nothing internal.
 */
export function toApiError(exception: unknown): ApiError {
  if (exception instanceof ApiError) return exception;
  if (exception instanceof ServiceFailure) return ApiError.fromFailure(exception);
  const status = statusOf(exception);
  if (status !== undefined && status < 500) {
    return new ApiError(CODE_OF_STATUS.get(status) ?? 'malformed_request', messageOf(exception), {
      cause: exception,
    });
  }
  if (status === 503 || isDatabaseUnavailable(exception)) {
    const message = 'The service cannot answer right now; try again shortly.';
    return new ApiError('temporarily_unavailable', message, { cause: exception });
  }
  return new ApiError('internal_error', 'The service failed to answer; tell its operator the request_id.', {
    cause: exception,
  });
}

/** Answers every failure of every HTTP request with the envelope, including failures before and outside routing. */
@Catch()
export class ApiExceptionFilter implements ExceptionFilter {
  private readonly logger = new Logger('HTTP');

  constructor(private readonly limits: RateLimits) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = isRouteMiss(exception, request) ? routeMiss(request) : toApiError(exception);
    this.log(error, request.id);
    if (response.headersSent) {
      // The client can recognise a truncated answer only by its broken connection.
      response.destroy();
      return;
    }
    if (request.user !== undefined || !REFUSALS.has(error.code)) {
      sendError(response, error, request.id);
      return;
    }
    this.limits.consume('refusals', this.limits.addressBucketOf(request)).then(
      () => sendError(response, error, request.id),
      (spent: unknown) => sendError(response, toApiError(spent), request.id),
    );
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

function routeMiss(request: Request): ApiError {
  const methods = allowedMethods(request.app, request.path);
  if (methods.length === 0) {
    return new ApiError('route_not_found', 'No such route; /openapi.json lists them all.');
  }
  const allow = methods.join(', ');
  return new ApiError('method_not_allowed', `Use one of ${allow} on this path.`, {
    headers: { Allow: allow },
  });
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
