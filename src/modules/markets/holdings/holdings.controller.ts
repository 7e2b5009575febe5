import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { PointInTimeQueryDto } from '../../accounts/moments/point-in-time.dto.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { RequireScopes } from '../../../kit/security/credentials.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountId } from '../../accounts/access/account-id.js';
import { ACCOUNT_REQUIREMENT } from '../../accounts/access/account-requirement.js';
import { HoldingsService } from './holdings.service.js';
import { BalanceDto } from './balance.dto.js';
import { EntryDto, ENTRY_COLUMNS } from './entry.dto.js';
import { PositionDto } from './position.dto.js';
import { PositionsService } from './positions.service.js';

/** What is in accounts on which the caller has a role. Any other account answers like one that does not exist. */
@ApiTags('Markets')
@RequireScopes(ACCOUNT_REQUIREMENT)
@Controller('accounts')
export class HoldingsController {
  constructor(
    private readonly holdings: HoldingsService,
    private readonly tradedPositions: PositionsService,
  ) {}

  /**
   * Positions by account
   * @remarks In order of the markets; flat ones show what was realized. At a past moment positions are
   * marked at the last trade before it.
   */
  @Get(':account_id/positions')
  @ApiPageResponse(PositionDto)
  @ApiErrors(REFUSALS.account_not_found)
  positions(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Query() query: PointInTimeQueryDto,
  ): Promise<Page<PositionDto>> {
    return this.tradedPositions.list(principal, accountId, query);
  }

  /**
   * Balances by account
   * @remarks In order of the assets. With `as_of` or `at_sequence` the totals of that moment.
   */
  @Get(':account_id/balances')
  @ApiPageResponse(BalanceDto)
  @ApiErrors(REFUSALS.account_not_found)
  balances(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Query() query: PointInTimeQueryDto,
  ): Promise<Page<BalanceDto>> {
    return this.holdings.listBalances(principal, accountId, query);
  }

  /**
   * Ledger entries by account
   * @remarks Newest first: every unit that came in or went out.
   */
  @Get(':account_id/entries')
  @ApiPageResponse(EntryDto)
  @CsvRows(ENTRY_COLUMNS)
  @ApiErrors(REFUSALS.account_not_found)
  entries(
    @CurrentPrincipal() principal: Principal,
    @AccountId() accountId: string,
    @Query() query: PeriodQueryDto,
  ): Promise<Page<EntryDto>> {
    return this.holdings.listEntries(principal, accountId, query);
  }
}
