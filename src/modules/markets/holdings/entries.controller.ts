import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountId } from '../../accounts/access/account-id.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import { HoldingsService } from './holdings.service.js';
import { EntryDto, ENTRY_COLUMNS } from './entry.dto.js';

/** Ledger entries of accounts on which the caller has a role. Any other account answers like one that does not exist. */
@ApiTags('Markets')
@RequireScopes(ACCOUNT_REQUIREMENT)
@Controller('accounts/:account_id/entries')
export class EntriesController {
  constructor(private readonly holdings: HoldingsService) {}

  /**
   * Ledger entries by account
   * @remarks Newest first: every unit that came in or went out.
   */
  @Get()
  @ApiPageResponse(EntryDto)
  @CsvRows(ENTRY_COLUMNS)
  @ApiErrors(REFUSALS.account_not_found)
  list(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Query() query: PeriodQueryDto,
  ): Promise<Page<EntryDto>> {
    return this.holdings.listEntries(principal, accountId, query);
  }
}
