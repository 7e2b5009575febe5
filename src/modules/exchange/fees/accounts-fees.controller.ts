import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountId } from '../../accounts/access/account-id.js';
import { AccountFeesDto } from './account-fees.dto.js';
import { AccountFeesService } from './account-fees.service.js';
import { ACCOUNT_READ } from '../../accounts/scopes.js';

/** What the caller's own accounts pay for trades. */
@ApiTags('Exchange')
@RequireScopes({ anyOf: [ACCOUNT_READ] })
@Controller('accounts')
export class AccountsFeesController {
  constructor(private readonly fees: AccountFeesService) {}

  /**
   * Fees by account
   * @remarks The rates of the account in each market, in order of the markets. Where the exchange has a fee policy of
   * its own, they are those of a limit order of the smallest size.
   */
  @Get(':account_id/fees')
  @ApiPageResponse(AccountFeesDto)
  @ApiErrors(REFUSALS.account_not_found)
  list(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<AccountFeesDto>> {
    return this.fees.list(principal, accountId, query);
  }
}
