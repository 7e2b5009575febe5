import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { CHAIN_NOT_CONNECTED, CHAIN_UNAVAILABLE } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AddressDto, CreateAddressDto, CreatedAddressDto, ListAddressesQueryDto } from './address.dto.js';
import { AddressesService } from './addresses.service.js';
import { WALLETS_READ, WALLETS_WRITE } from '../scopes.js';

const NO_WALLET = NOT_FOUND.means('there is no such wallet of one’s own.');

/** The addresses of the caller's wallets. */
@ApiTags('Wallets')
@Controller('wallets/:wallet_id/addresses')
export class AddressesController {
  constructor(private readonly addresses: AddressesService) {}

  /**
   * Create an address
   * @remarks The next one of its chain, derived from the wallet’s seed; none is ever given out twice. One to receive
   * at is given only on a chain that the service is connected to; others only sign. On bitcoin it is one of the network
   * that the service is set to.
   */
  @Post()
  @RequireScopes({ anyOf: [WALLETS_WRITE] })
  @Idempotent()
  @ApiErrors(
    VALIDATION_FAILED,
    NO_WALLET,
    CHAIN_NOT_CONNECTED.means(
      'nothing that is sent there would be credited; for a key that only signs, ask for the purpose `signing`.',
    ),
    CONFLICT.means('the wallet has as many of this chain as it may have.'),
    CHAIN_UNAVAILABLE.means('the node of the chain has not answered yet.'),
  )
  create(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Body() body: CreateAddressDto,
  ): Promise<CreatedAddressDto> {
    return this.addresses.create(principal, walletId, body);
  }

  /**
   * List the addresses of a wallet
   * @remarks Newest first.
   */
  @Get()
  @RequireScopes({ anyOf: [WALLETS_READ] })
  @ApiPageResponse(AddressDto)
  @ApiErrors(NO_WALLET)
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Query() query: ListAddressesQueryDto,
  ): Promise<Page<AddressDto>> {
    return this.addresses.list(principal, walletId, query);
  }
}
