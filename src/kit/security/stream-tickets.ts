/**
 * Browsers cannot send headers with an `EventSource`. A ticket in the address replaces the credential it was made with:
 * for some minutes, on one path.
 */
import { SetMetadata } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';

const TAKES_TICKETS = Symbol('takes stream tickets');

/** The parameter that carries a ticket. */
export const TICKET_PARAMETER = 'ticket';

/** Lets a ticket of `POST /auth/stream-tickets` stand for a credential on this route. */
export function TakesStreamTickets(): MethodDecorator {
  return SetMetadata(TAKES_TICKETS, true);
}

export function takesStreamTickets(handler: object): boolean {
  return Reflect.getMetadata(TAKES_TICKETS, handler) === true;
}

/** The query of a route that takes tickets; extend it with the route's own parameters. */
export class StreamTicketQueryDto {
  /** Instead of a credential, where no header can be sent: what `POST /auth/stream-tickets` answered. */
  @ApiPropertyOptional({ type: String })
  @IsOptional()
  @IsString()
  @MaxLength(128)
  ticket?: string;
}
