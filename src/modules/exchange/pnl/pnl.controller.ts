import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../../platform/security/current-principal.js';
import type { Principal } from '../../../platform/security/principal.js';
import { PnlDto, PnlQueryDto } from './pnl.dto.js';
import { PnlService } from './pnl.service.js';

/** What the caller's own accounts made or lost. */
@ApiTags('Exchange')
@RequireScopes({ anyOf: ['account:read'] })
@Controller('accounts')
export class PnlController {
  constructor(private readonly pnl: PnlService) {}

  @Get(':account_id/pnl')
  @ApiOperation({
    summary: 'Profit and loss by account',
    description:
      'Realized and fees of a period, unrealized as at its end: marked at the side of the live book at which ' +
      'the position could be left, or at the last trade, and each group says which. The answer names the ' +
      '`ledger_sequence` that it includes; `at_sequence` gives the same figures again at any later time, but ' +
      'for marks of the live book.',
  })
  @ApiParam({
    name: 'account_id',
    description: "One of the caller's own accounts, or `me`.",
    example: 'me',
  })
  @ApiOkResponse({ type: PnlDto })
  @ApiErrors('account_not_found', 'temporarily_unavailable: fills are being rebuilt.')
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Query() query: PnlQueryDto,
  ): Promise<PnlDto> {
    return this.pnl.of(principal, accountId, query);
  }
}
