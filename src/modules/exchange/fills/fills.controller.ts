import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiPageResponse, type Page } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../../platform/security/current-principal.js';
import type { Principal } from '../../../platform/security/principal.js';
import { AccountFillDto, ListFillsQueryDto } from './account-fill.dto.js';
import { FillsService } from './fills.service.js';

/** The caller's own fills. */
@ApiTags('Exchange')
@RequireScopes({ anyOf: ['markets:trade', 'account:read'] })
@Controller('markets')
export class FillsController {
  constructor(private readonly fills: FillsService) {}

  @Get(':market_id/fills')
  @ApiOperation({
    summary: 'Fills by market',
    description:
      "One's own, newest first. In event markets the settlement of what was held is among them, and every " +
      'correction of it, so that `realized_pnl` adds up to the P&L of the period.',
  })
  @ApiParam({ name: 'market_id', description: "The market's symbol.", example: 'BTC-USD' })
  @ApiPageResponse(AccountFillDto)
  @ApiErrors('market_not_found', 'account_not_found', 'temporarily_unavailable: fills are being rebuilt.')
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('market_id') marketId: string,
    @Query() query: ListFillsQueryDto,
  ): Promise<Page<AccountFillDto>> {
    return this.fills.list(principal, marketId, query);
  }
}
