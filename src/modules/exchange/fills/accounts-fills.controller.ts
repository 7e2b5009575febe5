import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { READ_TRADING_REQUIREMENT } from '../../markets/orders/order-requirements.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountId } from '../../accounts/access/account-id.js';
import { AccountFillDto, FILL_COLUMNS, ListAccountFillsQueryDto } from './account-fill.dto.js';
import { FillsService } from './fills.service.js';

/** The fills of one of the caller's own accounts, in whichever market. */
@ApiTags('Exchange')
@RequireScopes(READ_TRADING_REQUIREMENT)
@Controller('accounts')
export class AccountsFillsController {
  constructor(private readonly fills: FillsService) {}

  /**
   * Fills by account
   * @remarks Of all markets, newest first, in the order of `ledger_sequence`. In event markets the settlement of
   * what was held is among them, and every correction of it.
   */
  @Get(':account_id/fills')
  @ApiPageResponse(AccountFillDto)
  @CsvRows(FILL_COLUMNS)
  @ApiErrors(REFUSALS.account_not_found, TEMPORARILY_UNAVAILABLE.means('the table of fills does not move.'))
  list(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Query() query: ListAccountFillsQueryDto,
  ): Promise<Page<AccountFillDto>> {
    return this.fills.listOfAccount(principal, accountId, query);
  }
}
