import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';
import { toApiError } from '../../../kit/server/exception.filter.js';
import { RedirectedRefusal } from './authorization-answer.js';
import { redirectTo, sendPage } from './page-response.js';
import { PageLooks, refusalWords } from './page-looks.js';
import { errorPage } from './pages.js';

/** Redirects errors for the client to it, and shows other errors on a page for people. */
@Catch()
export class AuthorizeErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger('HTTP');

  constructor(private readonly looks: PageLooks) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    if (exception instanceof RedirectedRefusal) {
      redirectTo(response, exception.location);
      return;
    }
    const error = toApiError(exception);
    if (error.status >= 500) {
      this.logger.error({ msg: error.code, request_id: request.id, err: error.cause ?? error });
    }
    response.set({ ...error.headers });
    const look = this.looks.of(request);
    sendPage(response, error.status, errorPage(look, refusalWords(look, error), request.id));
  }
}
