import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { PointInTimeQueryDto } from '../../../core/journal/point-in-time.dto.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../../platform/security/current-principal.js';
import type { Principal } from '../../../platform/security/principal.js';
import { AccountDto } from './account.dto.js';
import { AccountsService } from './accounts.service.js';
import { BalanceDto } from './balance.dto.js';
import { EntryDto } from './entry.dto.js';
import { PositionDto } from './position.dto.js';
import { PositionsService } from './positions.service.js';

const ACCOUNT_PARAM = {
  name: 'account_id',
  description: "One of the caller's own accounts, or `me`.",
  example: 'me',
};

/** The caller's own accounts. A foreign account answers like one that does not exist. */
@ApiTags('Markets')
@RequireScopes({ anyOf: ['account:read'] })
@Controller('accounts')
export class AccountsController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly tradedPositions: PositionsService,
  ) {}

  @Get()
  @ApiOperation({ summary: "List one's own accounts", description: 'Newest first.' })
  @ApiPageResponse(AccountDto)
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQueryDto): Promise<Page<AccountDto>> {
    return this.accounts.list(principal, query);
  }

  @Get(':account_id/positions')
  @ApiOperation({
    summary: 'Positions by account',
    description:
      'In order of the markets; flat ones show what was realized. At a past moment positions are marked at ' +
      'the last trade before it.',
  })
  @ApiParam(ACCOUNT_PARAM)
  @ApiPageResponse(PositionDto)
  @ApiErrors('account_not_found')
  positions(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Query() query: PointInTimeQueryDto,
  ): Promise<Page<PositionDto>> {
    return this.tradedPositions.list(principal, accountId, query);
  }

  @Get(':account_id/balances')
  @ApiOperation({
    summary: 'Balances by account',
    description: 'In order of the assets. With `as_of` or `at_sequence` the totals of that moment.',
  })
  @ApiParam(ACCOUNT_PARAM)
  @ApiPageResponse(BalanceDto)
  @ApiErrors('account_not_found')
  balances(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Query() query: PointInTimeQueryDto,
  ): Promise<Page<BalanceDto>> {
    return this.accounts.listBalances(principal, accountId, query);
  }

  @Get(':account_id/entries')
  @ApiOperation({
    summary: 'Ledger entries by account',
    description: 'Newest first: every unit that came in or went out.',
  })
  @ApiParam(ACCOUNT_PARAM)
  @ApiPageResponse(EntryDto)
  @ApiErrors('account_not_found')
  entries(
    @CurrentPrincipal() principal: Principal,
    @Param('account_id') accountId: string,
    @Query() query: PageQueryDto,
  ): Promise<Page<EntryDto>> {
    return this.accounts.listEntries(principal, accountId, query);
  }
}
