import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountId } from '../../accounts/access/account-id.js';
import { PnlDto, PnlQueryDto, PNL_COLUMNS } from './pnl.dto.js';
import { PnlService } from './pnl.service.js';
import { ACCOUNT_READ } from '../../accounts/scopes.js';

/** What the caller's own accounts made or lost. */
@ApiTags('Exchange')
@RequireScopes({ anyOf: [ACCOUNT_READ] })
@Controller('accounts')
export class PnlController {
  constructor(private readonly pnl: PnlService) {}

  /**
   * Profit and loss by account
   * @remarks Realized and fees of a period, unrealized as at its end: marked at the side of the live book at
   * which the position could be left, or at the last trade, and each group says which; where there is neither, unrealized and
   * net are null. The answer names the
   * `ledger_sequence` that it includes; `at_sequence` gives the same figures again at any later time, but
   * for marks of the live book. Without `from` the period begins with the account's first fill; without `to`, or
   * with one that is ahead, it ends now. `to` and a past moment exclude each other.
   */
  @Get(':account_id/pnl')
  @CsvRows(PNL_COLUMNS, { rows: 'groups' })
  @ApiErrors(REFUSALS.account_not_found, TEMPORARILY_UNAVAILABLE.means('the table of fills does not move.'))
  get(
    @CurrentPrincipal() principal: Principal,
    @AccountId()
    accountId: string,
    @Query() query: PnlQueryDto,
  ): Promise<PnlDto> {
    return this.pnl.of(principal, accountId, query);
  }
}
