import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ChainDepositDto, ListDepositsQueryDto } from './deposit.dto.js';
import { Deposits } from './deposits.service.js';
import { WALLETS_READ } from '../scopes.js';

/** What arrives at addresses of the caller's wallets. */
@ApiTags('Wallets')
@Controller('wallets/:wallet_id/deposits')
export class WalletsDepositsController {
  constructor(private readonly deposits: Deposits) {}

  /**
   * List the deposits of a wallet
   * @remarks What arrived at its addresses over chains, newest first: also what is not credited, and why.
   */
  @Get()
  @RequireScopes({ anyOf: [WALLETS_READ] })
  @ApiPageResponse(ChainDepositDto)
  @ApiErrors(NOT_FOUND.means('there is no such wallet of one’s own.'))
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('wallet_id') walletId: string,
    @Query() query: ListDepositsQueryDto,
  ): Promise<Page<ChainDepositDto>> {
    return this.deposits.list(principal, walletId, query);
  }
}
