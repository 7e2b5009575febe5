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
import { ORDER_CSV_COLUMNS, OrderDto } from '../orders/order.dto.js';
import { AllOrders } from './all-orders.service.js';
import { ListAllOrdersQueryDto } from './all-trading.dto.js';

const NO_ACCOUNT = REFUSALS.account_not_found.means('there is no such account of anybody.');

/** What all owners have ordered. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_SUPPORT, OPERATOR_COMPLIANCE, OPERATOR_MARKETS))
@Controller('admin/orders')
export class AdminOrdersController {
  constructor(private readonly orders: AllOrders) {}

  /**
   * List the orders of all
   * @remarks Newest first, without their fills. Where few orders meet the filter, a page may be short, even empty,
   * and still have a `next_cursor`. `from` and `to` select by `created_at`.
   */
  @Get()
  @ApiErrors(NO_ACCOUNT)
  @ApiPageResponse(OrderDto)
  @CsvRows(ORDER_CSV_COLUMNS, { fields: { on: 'orders', reader: 'operators' } })
  list(@Query() query: ListAllOrdersQueryDto): Promise<Page<OrderDto>> {
    return this.orders.list(query);
  }
}
