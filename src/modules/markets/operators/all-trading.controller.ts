import { REFUSALS } from '../../accounts/commands/refusals.js';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credentials.js';
import { ORDER_COLUMNS, OrderDto } from '../orders/order.dto.js';
import { AllOrders } from './all-orders.service.js';
import { AllTrades } from './all-trades.service.js';
import {
  ListAllOrdersQueryDto,
  ListAllTradesQueryDto,
  OPERATOR_TRADE_COLUMNS,
  OperatorTradeDto,
} from './all-trading.dto.js';
import { ADMIN } from '../../../kit/security/scope.js';

const NO_ACCOUNT = REFUSALS.account_not_found.means('there is no such account of anybody.');

/** What all owners have ordered and traded. */
@ApiTags('Admin')
@RequireScopes({ anyOf: [ADMIN] })
@Controller('admin')
export class AllTradingController {
  constructor(
    private readonly orders: AllOrders,
    private readonly trades: AllTrades,
  ) {}

  /**
   * List the orders of all
   * @remarks Newest first, without their fills. Where few orders meet the filter, a page may be short, even empty,
   * and still have a `next_cursor`. `from` and `to` select by `created_at`.
   */
  @Get('orders')
  @ApiErrors(NO_ACCOUNT)
  @ApiPageResponse(OrderDto)
  @CsvRows(ORDER_COLUMNS)
  listOrders(@Query() query: ListAllOrdersQueryDto): Promise<Page<OrderDto>> {
    return this.orders.list(query);
  }

  /**
   * List the trades of all, with both sides
   * @remarks Newest first. Where few trades meet the filter, a page may be short, even empty, and still have a
   * `next_cursor`.
   */
  @Get('trades')
  @ApiErrors(NO_ACCOUNT)
  @ApiPageResponse(OperatorTradeDto)
  @CsvRows(OPERATOR_TRADE_COLUMNS)
  listTrades(@Query() query: ListAllTradesQueryDto): Promise<Page<OperatorTradeDto>> {
    return this.trades.list(query);
  }
}
