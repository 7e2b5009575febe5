import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiPageResponse, type Page, PageQueryDto } from '../../kit/http/pagination.js';
import { RequireScopes } from '../../kit/security/credentials.js';
import { CurrentPrincipal } from '../../kit/security/current-principal.js';
import type { Principal } from '../../kit/security/principal.js';
import { ACCOUNT_REQUIREMENT } from './access/account-requirement.js';
import { ReachedAccountDto } from './account.dto.js';
import { AccountsService } from './accounts.service.js';

/** Accounts on which the caller has a role. */
@ApiTags('Markets')
@RequireScopes(ACCOUNT_REQUIREMENT)
@Controller('accounts')
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  /**
   * List one's accounts
   * @remarks Newest first: one's own, and those of others on which one has a role.
   */
  @Get()
  @ApiPageResponse(ReachedAccountDto)
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: PageQueryDto,
  ): Promise<Page<ReachedAccountDto>> {
    return this.accounts.list(principal, query);
  }
}
