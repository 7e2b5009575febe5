import { Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NOT_FOUND, CONFLICT, DESTINATION_NOT_ALLOWED } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { INVALID_ADDRESS, CHAIN_UNAVAILABLE } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_FINANCE, OPERATOR_SUPPORT, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { OperatorTransferDto } from '../transfers/transfer-approvals.dto.js';
import { DepositReturns } from './deposit-returns.service.js';
import { ListAllDepositsQueryDto, OperatorChainDepositDto } from './deposit.dto.js';
import { Deposits } from './deposits.service.js';

/** What arrives over chains, as operators see it. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_FINANCE))
@Controller('admin/chain-deposits')
export class ChainDepositsController {
  constructor(
    private readonly deposits: Deposits,
    private readonly returns: DepositReturns,
  ) {}

  /**
   * List what arrived over chains
   * @remarks At addresses of wallets, and at the hot wallets, which is credited to the house: newest first. What is neither
   * `waiting` nor `credited` stays where it is until somebody acts.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_FINANCE))
  @ApiPageResponse(OperatorChainDepositDto)
  list(@Query() query: ListAllDepositsQueryDto): Promise<Page<OperatorChainDepositDto>> {
    return this.deposits.listOfAll(query);
  }

  /**
   * Propose to send back what a stranger sent to the hot wallet
   * @remarks To its sender, from the account of the house, which also pays the gas. It waits until another operator approves
   * the transfer.
   */
  @Post(':deposit_id/return')
  @Idempotent()
  @ApiErrors(
    NOT_FOUND.means('nothing that is credited to the house has arrived under this id.'),
    CONFLICT.means('it is returned already, or waits for an approval.'),
    REFUSALS.insufficient_funds.means('the house has less by now.'),
    INVALID_ADDRESS,
    DESTINATION_NOT_ALLOWED.means('the sender is the service itself.'),
    CHAIN_UNAVAILABLE.means('the chain is not connected, or silent.'),
  )
  return(
    @CurrentPrincipal() principal: Principal,
    @Param('deposit_id') depositId: string,
  ): Promise<OperatorTransferDto> {
    return this.returns.propose(principal, depositId);
  }
}
