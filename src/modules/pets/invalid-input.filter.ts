import { Catch, type ArgumentsHost } from '@nestjs/common';
import type { Request } from 'express';
import { INVALID_INPUT } from './errors.js';
import { ApiError } from '../../kit/http/errors.js';
import { ApiExceptionFilter } from '../../kit/server/exception.filter.js';
import { allowedMethods } from '../../kit/http/routes.js';

/**
 * Answers invalid input with 405 `invalid_input` instead of 400, as the interface requires for one route. A 405 lists
 * the methods of the path (RFC 9110), this one among them.
 */
@Catch()
export class InvalidInputFilter extends ApiExceptionFilter {
  override catch(exception: unknown, host: ArgumentsHost): void {
    super.catch(isInvalid(exception) ? invalidInput(exception, host) : exception, host);
  }
}

function isInvalid(exception: unknown): exception is ApiError {
  return (
    exception instanceof ApiError &&
    (exception.code === 'validation_failed' || exception.code === 'malformed_request')
  );
}

function invalidInput({ message, details }: ApiError, host: ArgumentsHost): ApiError {
  const request = host.switchToHttp().getRequest<Request>();
  return new ApiError(INVALID_INPUT, message, {
    ...(details && { details }),
    headers: { Allow: allowedMethods(request.app, request.path).join(', ') },
  });
}
