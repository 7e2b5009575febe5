import type { ErrorCode } from '../../../kit/http/error-code.js';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { MARKET_NOT_ALLOWED } from '../../../kit/http/error-codes.js';
import { RISK_REFUSED } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { CsvRows } from '../../../kit/http/csv/csv-rows.js';
import { BatchBody } from '../../../kit/http/body-policy.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { MayCarryReceipt } from '../../../kit/http/receipts/carried-receipt.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { OF_SELF_LIMITS } from '../../limits/documented-errors.js';
import { AmendOrderDto } from './amend-order.dto.js';
import {
  CancelledOrdersDto,
  CancelListedOrdersDto,
  CancellationsDto,
  CancelOrdersQueryDto,
  costOfCancellations,
} from './cancel-orders.dto.js';
import { costOfBatch, ORDER_BATCH_EXAMPLES, OrderBatchDto, PlaceOrderBatchDto } from './order-batch.dto.js';
import { ROLE_REQUIRED } from '../../accounts/access/account-roles.js';
import { OrderCancellationService } from './order-cancellation.service.js';
import { OrderEntryService } from './order-entry.service.js';
import { OrderHistoryService } from './order-history.service.js';
import { CancelPreviewDto, OrderPreviewDto, ReplacementPreviewDto } from './order-preview.dto.js';
import { READ_TRADING_REQUIREMENT, TRADE_REQUIREMENT } from './order-requirements.js';
import { ListOrdersQueryDto, OrderDto, OrderWithFillsDto, ORDER_CSV_COLUMNS } from './order.dto.js';
import { PLACE_ORDER_EXAMPLES, PlaceOrderDto } from './place-order.dto.js';
import { REPLACE_ORDER_EXAMPLES, ReplacedOrderDto, ReplaceOrderDto } from './replace-order.dto.js';

/** What prices, sizes and money are refused with, in orders and amendments. */
const OF_TERMS: readonly ErrorCode[] = [
  REFUSALS.invalid_tick,
  REFUSALS.invalid_lot,
  RISK_REFUSED,
  REFUSALS.size_out_of_range,
  REFUSALS.price_out_of_range,
  REFUSALS.min_notional,
  REFUSALS.insufficient_funds,
  REFUSALS.post_only_would_cross,
];
export const OF_PLACING: readonly ErrorCode[] = [
  ...ROLE_REQUIRED,
  REFUSALS.account_not_found,
  REFUSALS.market_not_found,
  MARKET_NOT_ALLOWED,
  ...OF_SELF_LIMITS,
  REFUSALS.account_frozen,
  REFUSALS.market_not_open,
  REFUSALS.duplicate_client_order_id,
  REFUSALS.already_expired,
  REFUSALS.too_many_open_orders,
  REFUSALS.insufficient_liquidity,
  REFUSALS.reduce_only_violated,
  ...OF_TERMS,
];
const OF_AMENDMENTS: readonly ErrorCode[] = [
  ...ROLE_REQUIRED,
  MARKET_NOT_ALLOWED,
  ...OF_SELF_LIMITS,
  REFUSALS.account_frozen,
  REFUSALS.order_not_open,
  REFUSALS.order_not_amendable,
  REFUSALS.market_not_open,
  REFUSALS.size_below_filled,
  ...OF_TERMS,
];

const OF_REPLACING: readonly ErrorCode[] = [
  ...ROLE_REQUIRED,
  MARKET_NOT_ALLOWED,
  REFUSALS.invalid_tick,
  REFUSALS.invalid_lot,
  RISK_REFUSED,
  REFUSALS.account_frozen,
  REFUSALS.market_not_open,
  REFUSALS.duplicate_client_order_id,
  REFUSALS.already_expired,
  REFUSALS.size_out_of_range,
  REFUSALS.price_out_of_range,
  REFUSALS.min_notional,
];

/** Orders in accounts on which the caller has a role. A foreign order answers like one that does not exist. */
@ApiTags('Markets')
@Controller('orders')
export class OrdersController {
  constructor(
    private readonly entry: OrderEntryService,
    private readonly cancellation: OrderCancellationService,
    private readonly history: OrderHistoryService,
  ) {}

  /**
   * Place an order
   * @remarks Answered once the order and its fills are durable. Errors are found in this order: the body
   * (400), the account and the market (404), `market_not_allowed` (403), `invalid_tick`, `invalid_lot` (422),
   * `risk_refused` (422), a repeated key with other terms (409, 422), `account_frozen`, `market_not_open` (409), `already_expired`,
   * `too_many_open_orders`, sizes, prices and `min_notional`, `insufficient_liquidity`, `reduce_only_violated`, `insufficient_funds`,
   * `post_only_would_cross` (422).
   */
  @Post()
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiBody({ type: PlaceOrderDto, examples: PLACE_ORDER_EXAMPLES })
  @ApiCreatedResponse({
    type: OrderWithFillsDto,
    description: 'The new order, with the fills it had at once.',
  })
  @ApiOkResponse({
    type: OrderWithFillsDto,
    description: 'A repeat by `client_order_id` or `Idempotency-Key`: the order as it is now.',
  })
  @ApiErrors(...OF_PLACING)
  @MayCarryReceipt('accepted_order', ({ order_id }: OrderWithFillsDto) => order_id)
  async place(
    @CurrentPrincipal() principal: Principal,
    @Body() body: PlaceOrderDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderWithFillsDto> {
    return answer(response, await this.entry.place(principal, body, key), 200);
  }

  /**
   * Place up to 100 orders
   * @remarks In their order, each on its own: one that is refused leaves the others alone. All become
   * durable together, and are one unit under their Idempotency-Key. Each order costs a point of the budget;
   * a batch that costs more than is left is refused whole (429).
   */
  @Post('batch')
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders', costOfBatch)
  @BatchBody()
  @ApiBody({ type: PlaceOrderBatchDto, examples: ORDER_BATCH_EXAMPLES })
  async placeBatch(
    @CurrentPrincipal() principal: Principal,
    @Body() body: PlaceOrderBatchDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderBatchDto> {
    return answer(response, await this.entry.placeBatch(principal, body, key, request.id));
  }

  /**
   * Preview an order
   * @remarks Runs the order through the same engine and changes nothing. Refused as placing it would be.
   */
  @Post('preview')
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiBody({ type: PlaceOrderDto, examples: PLACE_ORDER_EXAMPLES })
  @ApiErrors(...OF_PLACING)
  preview(@CurrentPrincipal() principal: Principal, @Body() body: PlaceOrderDto): Promise<OrderPreviewDto> {
    return this.entry.preview(principal, body);
  }

  /**
   * Cancel up to 100 orders
   * @remarks Of one account, by their ids or their `client_order_id`s, each on its own: one that is not open leaves
   * the others alone. All become durable together, and are one unit under their Idempotency-Key. Each order costs a
   * point of the budget.
   */
  @Post('cancel')
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders', costOfCancellations)
  @ApiErrors(...ROLE_REQUIRED, REFUSALS.account_not_found)
  async cancelListed(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CancelListedOrdersDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CancellationsDto> {
    return answer(response, await this.cancellation.cancelListed(principal, body, key, request.id));
  }

  /**
   * List orders
   * @remarks Newest first, without their fills. Where few orders meet the filter, a page may be short, even
   * empty, and still have a `next_cursor`. `from` and `to` select by `created_at`.
   */
  @Get()
  @ApiErrors(REFUSALS.account_not_found)
  @RequireScopes(READ_TRADING_REQUIREMENT)
  @ApiPageResponse(OrderDto)
  @CsvRows(ORDER_CSV_COLUMNS, { fields: { on: 'orders', reader: 'owner' } })
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListOrdersQueryDto,
  ): Promise<Page<OrderDto>> {
    return this.history.list(principal, query);
  }

  /** Get an order, with its fills */
  @Get(':order_id')
  @RequireScopes(READ_TRADING_REQUIREMENT)
  @ApiErrors(REFUSALS.order_not_found)
  @MayCarryReceipt('latest_order', ({ order_id }: OrderWithFillsDto) => order_id)
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('order_id') orderId: string,
  ): Promise<OrderWithFillsDto> {
    return this.history.get(principal, orderId);
  }

  /**
   * Amend an order
   * @remarks A smaller size at the same price keeps the place in the queue; anything else enters the book
   * anew and may trade as a taker.
   */
  @Patch(':order_id')
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiErrors(REFUSALS.order_not_found, ...OF_AMENDMENTS)
  @MayCarryReceipt('latest_order', ({ order_id }: OrderWithFillsDto) => order_id)
  amend(
    @CurrentPrincipal() principal: Principal,
    @Param('order_id') orderId: string,
    @Body() body: AmendOrderDto,
  ): Promise<OrderWithFillsDto> {
    return this.entry.amend(principal, orderId, body);
  }

  /**
   * Replace an order
   * @remarks Cancels the order and places the new one in the same account and market, as one command: nobody trades in
   * between. Whatever does not depend on the cancellation is checked first: a refusal leaves the order alone, and one
   * that has ended (`order_not_open`) is never followed by another. From there on the order is gone. A new order that
   * then lacks money or room, or would trade at once though `post_only`, is `rejected`, and `status_reason` tells why.
   */
  @Post(':order_id/replace')
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiBody({ type: ReplaceOrderDto, examples: REPLACE_ORDER_EXAMPLES })
  @ApiCreatedResponse({ type: ReplacedOrderDto, description: 'Both orders after the command.' })
  @ApiOkResponse({
    type: ReplacedOrderDto,
    description: 'A repeat by `client_order_id` or `Idempotency-Key`: both orders as they are now.',
  })
  @ApiErrors(REFUSALS.order_not_found, REFUSALS.order_not_open, REFUSALS.size_below_filled, ...OF_REPLACING)
  @MayCarryReceipt('accepted_order', ({ order }: ReplacedOrderDto) => order.order_id)
  async replace(
    @CurrentPrincipal() principal: Principal,
    @Param('order_id') orderId: string,
    @Body() body: ReplaceOrderDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ReplacedOrderDto> {
    return answer(response, await this.entry.replace(principal, orderId, body, key), 200);
  }

  /**
   * Preview a replacement
   * @remarks Runs the replacement through the same engine and changes nothing. Refused as
   * `POST /orders/{order_id}/replace` would be; a new order that would be `rejected` is told as such.
   */
  @Post(':order_id/replace/preview')
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiBody({ type: ReplaceOrderDto, examples: REPLACE_ORDER_EXAMPLES })
  @ApiErrors(REFUSALS.order_not_found, REFUSALS.order_not_open, ...OF_REPLACING)
  previewReplacement(
    @CurrentPrincipal() principal: Principal,
    @Param('order_id') orderId: string,
    @Body() body: ReplaceOrderDto,
  ): Promise<ReplacementPreviewDto> {
    return this.entry.previewReplacement(principal, orderId, body);
  }

  /**
   * Preview an amendment
   * @remarks Runs the amendment through the same engine and changes nothing. Refused as
   * `PATCH /orders/{order_id}` would be.
   */
  @Post(':order_id/amend/preview')
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiErrors(REFUSALS.order_not_found, ...OF_AMENDMENTS)
  previewAmendment(
    @CurrentPrincipal() principal: Principal,
    @Param('order_id') orderId: string,
    @Body() body: AmendOrderDto,
  ): Promise<OrderPreviewDto> {
    return this.entry.previewAmendment(principal, orderId, body);
  }

  /** Cancel an order */
  @Delete(':order_id')
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiOkResponse({ type: OrderWithFillsDto, description: 'The cancelled order.' })
  @ApiErrors(
    ...ROLE_REQUIRED,
    REFUSALS.order_not_found,
    MARKET_NOT_ALLOWED,
    REFUSALS.order_not_open.means('it has been filled, cancelled or expired already.'),
  )
  @MayCarryReceipt('latest_order', ({ order_id }: OrderWithFillsDto) => order_id)
  cancel(
    @CurrentPrincipal() principal: Principal,
    @Param('order_id') orderId: string,
  ): Promise<OrderWithFillsDto> {
    return this.cancellation.cancel(principal, orderId);
  }

  /**
   * Preview a cancellation
   * @remarks Tells what cancelling the order would release, and changes nothing. Refused as
   * `DELETE /orders/{order_id}` would be.
   */
  @Post(':order_id/cancel/preview')
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiErrors(...ROLE_REQUIRED, REFUSALS.order_not_found, MARKET_NOT_ALLOWED, REFUSALS.order_not_open)
  previewCancellation(
    @CurrentPrincipal() principal: Principal,
    @Param('order_id') orderId: string,
  ): Promise<CancelPreviewDto> {
    return this.cancellation.previewCancellation(principal, orderId);
  }

  /**
   * Cancel all orders
   * @remarks Those of one market, or with `all=true` those of every market; by a key that is bound to markets, those of
   * its markets.
   */
  @Delete()
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiErrors(...ROLE_REQUIRED, REFUSALS.account_not_found, REFUSALS.market_not_found, MARKET_NOT_ALLOWED)
  cancelAll(
    @CurrentPrincipal() principal: Principal,
    @Query() query: CancelOrdersQueryDto,
  ): Promise<CancelledOrdersDto> {
    return this.cancellation.cancelAll(principal, query);
  }
}
