import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { MARKET_NOT_ALLOWED } from '../../../kit/http/error-codes.js';
import { ORDER_LIST_NOT_FOUND } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ROLE_REQUIRED } from '../../accounts/access/account-roles.js';
import { READ_TRADING_REQUIREMENT, TRADE_REQUIREMENT } from '../orders/order-requirements.js';
import { OrderListPreviewDto } from '../orders/order-preview.dto.js';
import { OF_PLACING } from '../orders/orders.controller.js';
import {
  ListOrderListsQueryDto,
  ORDER_LIST_EXAMPLES,
  OrderListDto,
  PlaceOrderListDto,
} from './order-list.dto.js';
import { OrderListsService } from './order-lists.service.js';

/** A point for each order. */
const costOfList = (body: unknown): number =>
  (body as Partial<PlaceOrderListDto> | null)?.type === 'bracket' ? 3 : 2;

/** Lists of orders that end each other, in accounts on which the caller has a role. */
@ApiTags('Markets')
@Controller('order-lists')
export class OrderListsController {
  constructor(private readonly lists: OrderListsService) {}

  /**
   * Place orders of which one cancels the other
   * @remarks `oco`: two exits. Once one of them trades, even in part, or the stop triggers, the other is cancelled, in the
   * same command. On spot markets the pair holds the larger of what both need. `bracket`: an entry and two exits, which
   * wait for it without holding anything. As the entry fills, in however many parts, they grow to what it has filled; an
   * exit for which the money or the room is missing then is `rejected`, and the other one stays. Once an exit trades or
   * triggers, what is left of the entry is cancelled, too. Cancelling an exit, or an entry without a fill, cancels the list.
   * Errors are those of placing each order alone, found in their order: entry, limit order, stop.
   */
  @Post()
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders', costOfList)
  @ApiBody({ type: PlaceOrderListDto, examples: ORDER_LIST_EXAMPLES })
  @ApiCreatedResponse({
    type: OrderListDto,
    description: 'The new list, its orders as the command left them.',
  })
  @ApiOkResponse({
    type: OrderListDto,
    description: 'A repeat by `client_order_list_id` or `Idempotency-Key`: the list as it is now.',
  })
  @ApiErrors(...OF_PLACING)
  async place(
    @CurrentPrincipal() principal: Principal,
    @Body() body: PlaceOrderListDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderListDto> {
    return answer(response, await this.lists.place(principal, body, key), 200);
  }

  /**
   * Preview an order list
   * @remarks Runs the list through the same engine and changes nothing. Refused as placing it would be. An entry that would
   * fill at once arms its exits in the preview, too; what its trades would trigger is not told.
   */
  @Post('preview')
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders', costOfList)
  @ApiBody({ type: PlaceOrderListDto, examples: ORDER_LIST_EXAMPLES })
  @ApiErrors(...OF_PLACING)
  preview(
    @CurrentPrincipal() principal: Principal,
    @Body() body: PlaceOrderListDto,
  ): Promise<OrderListPreviewDto> {
    return this.lists.preview(principal, body);
  }

  /**
   * List order lists
   * @remarks Newest first, with their orders as they are now.
   */
  @Get()
  @RequireScopes(READ_TRADING_REQUIREMENT)
  @ApiPageResponse(OrderListDto)
  @ApiErrors(REFUSALS.account_not_found)
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListOrderListsQueryDto,
  ): Promise<Page<OrderListDto>> {
    return this.lists.list(principal, query);
  }

  /** Get an order list, with its orders */
  @Get(':order_list_id')
  @RequireScopes(READ_TRADING_REQUIREMENT)
  @ApiErrors(ORDER_LIST_NOT_FOUND)
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('order_list_id') orderListId: string,
  ): Promise<OrderListDto> {
    return this.lists.get(principal, orderListId);
  }

  /** Cancel an order list: what is live of it */
  @Delete(':order_list_id')
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiErrors(
    ...ROLE_REQUIRED,
    ORDER_LIST_NOT_FOUND,
    MARKET_NOT_ALLOWED,
    REFUSALS.order_list_not_open.means('all its orders have ended already.'),
  )
  cancel(
    @CurrentPrincipal() principal: Principal,
    @Param('order_list_id') orderListId: string,
  ): Promise<OrderListDto> {
    return this.lists.cancel(principal, orderListId);
  }
}
