import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import {
  NOT_FOUND,
  CONFLICT,
  DESTINATION_NOT_ALLOWED,
  LIMIT_EXCEEDED,
} from '../../../kit/http/error-codes.js';
import { INVALID_ADDRESS, CHAIN_UNAVAILABLE } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { NEEDS_STEP_UP } from '../../../kit/security/step-up.js';
import { ListDestinationDto, WalletDestinationDto } from './destination.dto.js';
import { DestinationsService } from './destinations.service.js';
import { WALLETS_READ, WALLETS_WRITE } from '../scopes.js';

/** The addresses outside that one's wallets may send to: one list, whichever wallet it is asked of. */
@ApiTags('Wallets')
@ApiErrors(NOT_FOUND)
@Controller('wallets/:wallet_id/destinations')
export class DestinationsController {
  constructor(private readonly destinations: DestinationsService) {}

  /**
   * List the destinations of a wallet
   * @remarks Newest first. All wallets of an owner have one list.
   */
  @Get()
  @RequireScopes({ anyOf: [WALLETS_READ] })
  @ApiPageResponse(WalletDestinationDto)
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<WalletDestinationDto>> {
    return this.destinations.list(principal, walletId, query);
  }

  /**
   * List a destination
   * @remarks Without a list the wallets of an owner send over chains to any address. From the first
   * destination on all of them send to listed ones only, also after the last one was removed; each may have
   * to wait until it takes effect.
   */
  @Post()
  @RequireScopes({ anyOf: [WALLETS_WRITE] })
  @Idempotent()
  @ApiErrors(
    NEEDS_STEP_UP,
    CONFLICT.means('it is listed already.'),
    INVALID_ADDRESS,
    DESTINATION_NOT_ALLOWED.means('it is the service’s own.'),
    LIMIT_EXCEEDED,
    CHAIN_UNAVAILABLE.means('the chain is not connected.'),
  )
  add(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Body() body: ListDestinationDto,
  ): Promise<WalletDestinationDto> {
    return this.destinations.add(principal, walletId, body);
  }

  /**
   * Remove a destination
   * @remarks At once.
   */
  @Delete(':destination_id')
  @HttpCode(204)
  @RequireScopes({ anyOf: [WALLETS_WRITE] })
  @ApiNoContentResponse()
  remove(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Param('destination_id') destinationId: string,
  ): Promise<void> {
    return this.destinations.remove(principal, walletId, destinationId);
  }
}
