import { REFUSALS } from '../../accounts/commands/refusals.js';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import {
  OPERATOR_COMPLIANCE,
  OPERATOR_MARKETS,
  OPERATOR_SUPPORT,
  operators,
} from '../../../kit/security/operator-roles.js';
import { AllTrades } from './all-trades.service.js';
import { ListAllTradesQueryDto, OPERATOR_TRADE_COLUMNS, OperatorTradeDto } from './all-trading.dto.js';

const NO_ACCOUNT = REFUSALS.account_not_found.means('there is no such account of anybody.');

/** What all owners have traded. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_COMPLIANCE, OPERATOR_MARKETS))
@Controller('admin/trades')
export class AdminTradesController {
  constructor(private readonly trades: AllTrades) {}

  /**
   * List the trades of all, with both sides
   * @remarks Newest first. Where few trades meet the filter, a page may be short, even empty, and still have a
   * `next_cursor`.
   */
  @Get()
  @ApiErrors(NO_ACCOUNT)
  @ApiPageResponse(OperatorTradeDto)
  @CsvRows(OPERATOR_TRADE_COLUMNS)
  list(@Query() query: ListAllTradesQueryDto): Promise<Page<OperatorTradeDto>> {
    return this.trades.list(query);
  }
}
