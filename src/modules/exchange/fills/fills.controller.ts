import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { READ_TRADING_REQUIREMENT } from '../../markets/orders/order-requirements.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountFillDto, ListFillsQueryDto, FILL_COLUMNS } from './account-fill.dto.js';
import { FillsService } from './fills.service.js';

/** The caller's own fills. */
@ApiTags('Exchange')
@RequireScopes(READ_TRADING_REQUIREMENT)
@Controller('markets')
export class FillsController {
  constructor(private readonly fills: FillsService) {}

  /**
   * Fills by market
   * @remarks One's own, newest first. In event markets the settlement of what was held is among them, and
   * every correction of it, so that `realized_pnl` adds up to the P&L of the period.
   */
  @Get(':market_id/fills')
  @ApiPageResponse(AccountFillDto)
  @CsvRows(FILL_COLUMNS)
  @ApiErrors(
    REFUSALS.market_not_found,
    REFUSALS.account_not_found,
    TEMPORARILY_UNAVAILABLE.means('the table of fills does not move.'),
  )
  list(
    @CurrentPrincipal() principal: Principal,
    @PathParam('market_id', { description: "The market's symbol.", example: 'BTC-USD' }) marketId: string,
    @Query() query: ListFillsQueryDto,
  ): Promise<Page<AccountFillDto>> {
    return this.fills.list(principal, marketId, query);
  }
}
