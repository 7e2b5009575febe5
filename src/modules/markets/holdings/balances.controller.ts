import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { PointInTimeQueryDto } from '../../accounts/moments/point-in-time.dto.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountId } from '../../accounts/access/account-id.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import { HoldingsService } from './holdings.service.js';
import { BalanceDto } from './balance.dto.js';

/** Balances of accounts on which the caller has a role. Any other account answers like one that does not exist. */
@ApiTags('Markets')
@RequireScopes(ACCOUNT_REQUIREMENT)
@Controller('accounts/:account_id/balances')
export class BalancesController {
  constructor(private readonly holdings: HoldingsService) {}

  /**
   * Balances by account
   * @remarks In order of the assets. With `as_of` or `at_sequence` the totals of that moment.
   */
  @Get()
  @ApiPageResponse(BalanceDto)
  @ApiErrors(REFUSALS.account_not_found)
  list(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Query() query: PointInTimeQueryDto,
  ): Promise<Page<BalanceDto>> {
    return this.holdings.listBalances(principal, accountId, query);
  }
}
