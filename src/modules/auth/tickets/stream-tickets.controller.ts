import { Body, Controller, Header, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { VALIDATION_FAILED, UNPROCESSABLE, RATE_LIMITED } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { Authenticator } from '../../../kit/security/authenticator.js';
import { authenticationRequired } from '../../../kit/security/challenges.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CreateStreamTicketDto, StreamTicketDto } from './stream-ticket.dto.js';
import { StreamTicketsService } from './stream-tickets.service.js';

/** What lets browsers follow event streams. */
@ApiTags('Auth')
@Authenticated()
@Controller('auth/stream-tickets')
export class StreamTicketsController {
  constructor(
    private readonly tickets: StreamTicketsService,
    private readonly authenticator: Authenticator,
  ) {}

  /**
   * Get a ticket for an event stream
   * @remarks For an `EventSource`, which can send no headers: `?ticket=` on the path that it was made for
   * stands for the credential that made it. It opens the stream for ten minutes, after lost connections too,
   * and never longer than that credential is good; a stream that is open stays so.
   */
  @Post()
  @RateLimitedAs('stream_tickets')
  @Header('Cache-Control', 'no-store')
  @ApiErrors(
    VALIDATION_FAILED,
    UNPROCESSABLE.means('no event stream with this path takes tickets.'),
    RATE_LIMITED,
  )
  create(@Body() { path }: CreateStreamTicketDto, @Req() request: Request): Promise<StreamTicketDto> {
    const credential = this.authenticator.heldBy(request);
    // The guard has let nobody in without one; it stands here for the compiler.
    if (credential === undefined) throw authenticationRequired();
    return this.tickets.create(credential, path);
  }
}
