import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** Passes the caller's bearer token to a handler; `undefined` for an API key. */
export const PresentedToken = createParamDecorator(
  (_data: unknown, context: ExecutionContext): string | undefined =>
    /^bearer +(\S+)$/i.exec(context.switchToHttp().getRequest<Request>().headers.authorization ?? '')?.[1],
);
