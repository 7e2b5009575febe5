import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { CHAIN_UNAVAILABLE } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_FINANCE, OPERATOR_READ, operators } from '../../../kit/security/operator-roles.js';
import { ChainCheckDto, ChainDto } from './chain.dto.js';
import { ChainsService } from './chains.service.js';

/** The chains that wallets are connected to, as operators watch them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE, OPERATOR_READ))
@Controller('admin/chains')
export class ChainsController {
  constructor(private readonly chains: ChainsService) {}

  /**
   * List the chains
   * @remarks With how far each is read, what its hot wallet has, and what is under way.
   */
  @Get()
  @ApiPageResponse(ChainDto, 'All of them.')
  list(): Promise<Page<ChainDto>> {
    return this.chains.list();
  }

  /**
   * Check the money on a chain against the ledger
   * @remarks What the hot wallet and the addresses of wallets have, as of one block, must be what the ledger
   * says is on the chain, but for what has arrived or left and is not booked yet.
   */
  @Get(':chain/check')
  @ApiErrors(
    NOT_FOUND.means('there is no such chain.'),
    CHAIN_UNAVAILABLE.means('the service is not connected to the chain, or the node does not answer.'),
  )
  check(@Param('chain') chain: string): Promise<ChainCheckDto> {
    return this.chains.check(chain);
  }
}
