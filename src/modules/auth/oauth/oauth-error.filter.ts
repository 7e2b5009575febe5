import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { ApiError } from '../../../kit/http/errors.js';
import { toApiError } from '../../../kit/server/exception.filter.js';
import type { OAuthErrorResponse } from './oauth.dto.js';

/** The codes of RFC 6749 for a token endpoint; our own codes have the same names. */
const STANDARD_CODES: ReadonlySet<string> = new Set([
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'invalid_scope',
  'unauthorized_client',
  'unsupported_grant_type',
]);

/** Formats failures of the standard endpoints by RFC 6749 (5.2) instead of the envelope. */
@Catch()
export class OAuthErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('HTTP');

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = toApiError(exception);
    if (error.status >= 500) {
      this.logger.error({ msg: error.code, request_id: request.id, err: error.cause ?? error });
    }
    // The challenge answers only the header: after form fields it would make browsers ask for a password.
    if (error.code === 'invalid_client' && request.headers.authorization !== undefined) {
      response.setHeader('WWW-Authenticate', 'Basic realm="tradepost", charset="UTF-8"');
    }
    response.set({ ...error.headers, 'Cache-Control': 'no-store' });
    const body: OAuthErrorResponse = { error: standardCodeOf(error), error_description: error.message };
    response.status(error.status).json(body);
  }
}

/**
 * RFC 6749 has no code for failures that are neither the request's nor the client's; these two come from its
 * authorization endpoint.
 */
function standardCodeOf(error: ApiError): string {
  if (STANDARD_CODES.has(error.code)) return error.code;
  if (error.status === 429 || error.status === 503) return 'temporarily_unavailable';
  return error.status >= 500 ? 'server_error' : 'invalid_request';
}
