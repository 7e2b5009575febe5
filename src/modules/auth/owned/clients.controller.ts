import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Audited } from '../../../kit/audit/audited.js';
import {
  VALIDATION_FAILED,
  INSUFFICIENT_SCOPE,
  CONFLICT,
  NOT_FOUND,
  FORBIDDEN,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { Authenticated } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { needsStepUp } from '../../../kit/security/step-up.js';
import { ClientDto, CreateClientDto, CreatedClientDto } from './client.dto.js';
import { OwnedClientsService } from './owned-clients.service.js';

const NOT_ALLOWED = FORBIDDEN.means('it takes the session of a logged-in user.');

/** OAuth clients of one's own. */
@ApiTags('Auth')
@Authenticated({ callers: 'logged_in_users' })
@Controller('auth/clients')
export class ClientsController {
  constructor(private readonly clients: OwnedClientsService) {}

  /**
   * Create an OAuth client
   * @remarks It acts on the account of the user who makes it, in its own name, or for users who allow it.
   * The secret is shown this once.
   */
  @Post()
  @Audited()
  @Header('Cache-Control', 'no-store')
  @ApiErrors(
    VALIDATION_FAILED,
    NOT_ALLOWED,
    INSUFFICIENT_SCOPE.means('more than the session has.'),
    needsStepUp('For scopes that move money.'),
    CONFLICT.means('there are 50 already.'),
  )
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateClientDto): Promise<CreatedClientDto> {
    return this.clients.create(principal, body);
  }

  /**
   * List one’s own OAuth clients
   * @remarks Newest first.
   */
  @Get()
  @ApiPageResponse(ClientDto)
  @ApiErrors(NOT_ALLOWED)
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQueryDto): Promise<Page<ClientDto>> {
    return this.clients.list(principal, query);
  }

  /**
   * Delete an OAuth client
   * @remarks Its tokens end at once.
   */
  @Delete(':client_id')
  @HttpCode(204)
  @Audited()
  @ApiNoContentResponse({ description: 'The client is deleted.' })
  @ApiErrors(NOT_ALLOWED, NOT_FOUND.means('there is no such client of one’s own.'))
  remove(@CurrentPrincipal() principal: Principal, @Param('client_id') clientId: string): Promise<void> {
    return this.clients.delete(principal, clientId);
  }
}
