import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type {} from 'passport';
import type { Principal } from './principal.js';

declare global {
  // Passport's own place for whom it authenticated: `request.user`.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    // Passport declares an interface, and only an interface can be merged into it.
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type
    interface User extends Principal {}
  }
}

/** Hands the caller to a handler; `undefined` only on public routes. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Principal | undefined =>
    context.switchToHttp().getRequest<Request>().user,
);
