import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiPageResponse, type Page } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { ListAllDepositsQueryDto, OperatorChainDepositDto } from './deposit.dto.js';
import { Deposits } from './deposits.service.js';

/** What arrives over chains, as operators see it. */
@ApiTags('Admin')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/chain-deposits')
export class ChainDepositsController {
  constructor(private readonly deposits: Deposits) {}

  /**
   * List what arrived over chains
   * @remarks At addresses of wallets, and at the hot wallets, which is credited to the house: newest first. What is neither
   * `waiting` nor `credited` stays where it is until somebody acts.
   */
  @Get()
  @ApiPageResponse(OperatorChainDepositDto)
  list(@Query() query: ListAllDepositsQueryDto): Promise<Page<OperatorChainDepositDto>> {
    return this.deposits.listOfAll(query);
  }
}
