import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { INVALID_CURSOR, TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { POINTS } from '../../../kit/rate-limit/points.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountId } from '../../accounts/access/account-id.js';
import { COMBINED_STATEMENT_COLUMNS, CombinedStatementDto } from './combined-statement.dto.js';
import { CombinedStatements } from './combined-statements.service.js';
import { STATEMENT_COLUMNS, StatementDto } from './statement.dto.js';
import { StatementsService } from './statements.service.js';
import { ACCOUNT_READ } from '../../accounts/scopes.js';

/** What moved in the caller's accounts, as accountants want it. */
@ApiTags('Markets')
@RequireScopes({ anyOf: [ACCOUNT_READ] })
@RateLimitedAs('reads', () => POINTS.statement)
@Controller('accounts')
export class StatementsController {
  constructor(
    private readonly statements: StatementsService,
    private readonly combined: CombinedStatements,
  ) {}

  /**
   * Statement of all one's own accounts
   * @remarks Of each account and asset what there was at the beginning, every movement of all accounts, oldest first, and
   * what there was at the end; and the same of all accounts together. What moves between two of them has a line on each
   * side, so that both cancel out. All pages end where the first one does. Accounts of others are not in it.
   */
  @Get('statements')
  @CsvRows(COMBINED_STATEMENT_COLUMNS)
  @ApiErrors(INVALID_CURSOR, TEMPORARILY_UNAVAILABLE.means('balances are being prepared.'))
  allAccounts(
    @CurrentPrincipal() principal: Principal,
    @Query() query: PeriodQueryDto,
  ): Promise<CombinedStatementDto> {
    return this.combined.page(principal, query);
  }

  /**
   * Statement of an account
   * @remarks Of each asset what there was at the beginning, every movement, oldest first, and what there was at the
   * end: opening balance, plus credits, less debits, is the closing balance. All pages end where the first one does.
   */
  @Get(':account_id/statements')
  @CsvRows(STATEMENT_COLUMNS)
  @ApiErrors(
    REFUSALS.account_not_found,
    INVALID_CURSOR,
    TEMPORARILY_UNAVAILABLE.means('balances are being prepared.'),
  )
  statement(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Query() query: PeriodQueryDto,
  ): Promise<StatementDto> {
    return this.statements.page(principal, accountId, query);
  }
}
