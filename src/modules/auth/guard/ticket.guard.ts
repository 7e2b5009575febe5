import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Authenticator } from '../../../kit/security/authenticator.js';
import { invalidTicket } from '../../../kit/security/challenges.js';
import { TICKET_PARAMETER, takesStreamTickets } from '../../../kit/security/stream-tickets.js';

/**
 * Sets `request.user` for a valid stream ticket: the principal whose credential made it, while that credential is
 * valid. Throws `invalid_token` (401) otherwise.
 */
@Injectable()
export class TicketGuard implements CanActivate {
  constructor(private readonly authenticator: Authenticator) {}

  /** On other routes a ticket is an ordinary parameter. */
  isPresented(context: ExecutionContext): boolean {
    return takesStreamTickets(context.getHandler()) && ticketOf(context) !== undefined;
  }

  /** Whether the ticket was valid before, without a look-up. */
  isKnown(context: ExecutionContext): boolean {
    const ticket = ticketOf(context);
    const { path } = context.switchToHttp().getRequest<Request>();
    return typeof ticket === 'string' && this.authenticator.knowsTicket(ticket, path);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const ticket = ticketOf(context);
    // A repeated parameter is an array, and not a ticket.
    if (typeof ticket !== 'string') throw invalidTicket();
    const credential = await this.authenticator.credentialOfTicket(ticket, request.path);
    const principal = credential && (await this.authenticator.principalOf(credential));
    if (principal === undefined) throw invalidTicket();
    request.heldCredential = credential;
    request.user = principal;
    return true;
  }
}

function ticketOf(context: ExecutionContext): unknown {
  return context.switchToHttp().getRequest<Request>().query[TICKET_PARAMETER];
}
