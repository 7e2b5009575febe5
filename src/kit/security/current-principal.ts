import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type {} from 'passport';
import type { Principal } from './principal.js';

declare global {
  // Passport's own place for the authenticated user: `request.user`.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace Express {
    // Passport declares an interface, and only an interface can be merged into it.
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type
    interface User extends Principal {}
  }
}

/** What the service knows of a connected socket, in socket.io's own place for it: `socket.data`. */
export interface SocketData {
  /** Absent in namespaces that anyone may connect to. */
  principal?: Principal;
}

/** The sender of a request or of a socket's message; `undefined` where no credential was checked. */
export function principalOf(context: ExecutionContext): Principal | undefined {
  return context.getType() === 'ws'
    ? context.switchToWs().getClient<{ readonly data: SocketData }>().data.principal
    : context.switchToHttp().getRequest<Request>().user;
}

/** Passes the caller to a handler; `undefined` only on public routes. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Principal | undefined => principalOf(context),
);
