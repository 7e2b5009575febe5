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

/** What the service knows of a connected socket, in socket.io's own place for it: `socket.data`. */
export interface SocketData {
  /** Absent in namespaces that anyone may connect to. */
  principal?: Principal;
}

/** Who sends a request, or sent a message through a socket; `undefined` where nobody was asked. */
export function principalOf(context: ExecutionContext): Principal | undefined {
  return context.getType() === 'ws'
    ? context.switchToWs().getClient<{ readonly data: SocketData }>().data.principal
    : context.switchToHttp().getRequest<Request>().user;
}

/** Hands the caller to a handler; `undefined` only on public routes. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Principal | undefined => principalOf(context),
);
