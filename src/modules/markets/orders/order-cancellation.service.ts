import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { Outcome } from '../../../domain/engine/commands.js';
import { isRefusal } from '../../../domain/engine/context.js';
import { unitsOf } from '../../../domain/market/units.js';
import { REFUSALS, errorOf } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { marketNotAllowed, requireAllowedMarket } from '../../../kit/security/allowed-markets.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { idempotencyOf } from '../../accounts/commands/idempotency.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import {
  CANCELLED_AT_ONCE_MAX,
  type CancelledOrdersDto,
  type CancelListedOrdersDto,
  type CancellationResultDto,
  type CancellationsDto,
  type CancelOrdersQueryDto,
  toCancelledOrdersDto,
} from './cancel-orders.dto.js';
import { refusedResult } from './order-batch.dto.js';
import { OrderHistoryService } from './order-history.service.js';
import { type CancelPreviewDto, toCancelPreviewDto } from './order-preview.dto.js';
import type { OrderWithFillsDto } from './order.dto.js';
import { ORDER_IDS } from '../names/ids.js';

/** An order as a request names it, and which one that is, if any. */
interface NamedOrder {
  readonly order_id: string | null;
  readonly client_order_id: string | null;
  readonly orderId: number | undefined;
  /** Whether the caller's key is bound to other markets than that of the order. */
  readonly isElsewhere?: boolean;
}

/** Takes orders out of the book: one, some, or all. */
@Injectable()
export class OrderCancellationService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly history: OrderHistoryService,
  ) {}

  /** Throws `order_not_found`, `market_not_allowed`, and `order_not_open` where it has ended already. */
  async cancel(principal: Principal, id: string): Promise<OrderWithFillsDto> {
    const orderId = ORDER_IDS.parse(id);
    const isBound = principal.allowedMarkets !== undefined;
    if (orderId !== undefined && principal.accountId !== null && !isBound) {
      const cancelled = await this.tryCancel(principal, principal.accountId, orderId);
      if (cancelled !== undefined) return cancelled;
    }
    // Not live in the account that is most likely: unknown, ended, or in another account of the caller. Or the key is
    // bound, and the market has to be known first.
    const order = await this.history.find(principal, id, 'trade');
    requireAllowedMarket(principal, order.marketId);
    const { outcomes } = await this.core.submit({
      commands: [cancelOf(order.accountId, order.orderId)],
      actor: actorOf(principal),
    });
    return this.history.describeOutcome(order.accountId, outcomes[0]);
  }

  /** What `cancel` would release, without doing it. Throws what it throws. */
  async previewCancellation(principal: Principal, id: string): Promise<CancelPreviewDto> {
    const order = await this.history.find(principal, id, 'trade');
    requireAllowedMarket(principal, order.marketId);
    const preview = await this.core.preview(cancelOf(order.accountId, order.orderId));
    if (isRefusal(preview)) throw errorOf(preview);
    return toCancelPreviewDto(preview, unitsOf(this.catalog.view(order.marketId).definition));
  }

  /**
   * All orders of an account on one market, or on all that the caller may trade on. Throws `account_not_found`,
   * `market_not_found`, `market_not_allowed`, `validation_failed`.
   */
  async cancelAll(principal: Principal, query: CancelOrdersQueryDto): Promise<CancelledOrdersDto> {
    if ((query.market_id === undefined) !== (query.all === true)) {
      throw ApiError.validation([{ field: 'market_id', message: 'give either market_id or all=true' }]);
    }
    const accountId = await this.access.accountIdOf(principal, query.account_id, 'trade');
    if (query.market_id !== undefined) requireAllowedMarket(principal, query.market_id);
    const marketIds = query.market_id === undefined ? this.marketsOf(principal) : [query.market_id];
    if (marketIds.length === 0) return toCancelledOrdersDto([]);
    const { outcomes } = await this.core.submit({
      commands: marketIds.map((marketId) => ({ type: 'cancel_all_orders', accountId, marketId })),
      actor: actorOf(principal),
    });
    const orderIds = outcomes.flatMap((outcome) => resultOf(outcome, 'orders_cancelled').orderIds);
    return toCancelledOrdersDto(marketIds.length === 1 ? orderIds : orderIds.sort((a, b) => a - b));
  }

  /**
   * Each named order of one account on its own, all in one unit of work; `requestId` goes into the errors of those
   * that are not open. Throws `account_not_found`, `validation_failed`.
   */
  async cancelListed(
    principal: Principal,
    body: CancelListedOrdersDto,
    key: string | undefined,
    requestId: string,
  ): Promise<Replayable<CancellationsDto>> {
    const accountId = await this.access.accountIdOf(principal, body.account_id, 'trade');
    const orders = await this.withinReach(principal, accountId, await this.ordersNamedIn(accountId, body));
    const known = orders.flatMap(({ orderId }) => (orderId === undefined ? [] : [orderId]));
    if (known.length === 0) {
      const results = orders.map((order) => resultFor(order, refusedResult(unreachable(order), requestId)));
      return { body: { results }, replayed: false };
    }
    // A client order id may get its order later; outcomes are matched by place.
    const idempotency = idempotencyOf(principal, key, '/orders/cancel', { ...body, known });
    const { outcomes, replayed } = await this.core.submit({
      commands: known.map((orderId) => cancelOf(accountId, orderId)),
      idempotency,
      actor: actorOf(principal),
    });
    const placed = await this.history.placedAmong(
      accountId,
      known.filter((_, i) => !outcomes[i]!.ok),
    );
    let next = 0;
    const results = await Promise.all(
      orders.map(async (order): Promise<CancellationResultDto> => {
        const { orderId } = order;
        if (orderId === undefined) return resultFor(order, refusedResult(unreachable(order), requestId));
        const outcome = outcomes[next++]!;
        if (outcome.ok) {
          return resultFor(order, {
            status: 200,
            order: await this.history.describeOutcome(accountId, outcome),
          });
        }
        return resultFor(order, refusedResult(refusalOf(outcome, placed.has(orderId)), requestId));
      }),
    );
    return { body: { results }, replayed: idempotency !== undefined && replayed.every(Boolean) };
  }

  private async ordersNamedIn(accountId: number, body: CancelListedOrdersDto): Promise<NamedOrder[]> {
    const orderIds = body.order_ids ?? [];
    const clientOrderIds = body.client_order_ids ?? [];
    const count = orderIds.length + clientOrderIds.length;
    if (count === 0 || count > CANCELLED_AT_ONCE_MAX) {
      const message = `order_ids and client_order_ids must have 1 to ${CANCELLED_AT_ONCE_MAX} ids in all`;
      throw ApiError.validation([{ field: 'order_ids', message }]);
    }
    const byClientOrderId = await this.core.orderIdsOf(accountId, clientOrderIds);
    return [
      ...orderIds.map((id) => ({ order_id: id, client_order_id: null, orderId: ORDER_IDS.parse(id) })),
      ...clientOrderIds.map((id) => ({
        order_id: null,
        client_order_id: id,
        orderId: byClientOrderId.get(id),
      })),
    ];
  }

  /** A key that is bound to markets reaches orders of these alone. */
  private async withinReach(
    principal: Principal,
    accountId: number,
    orders: NamedOrder[],
  ): Promise<readonly NamedOrder[]> {
    const { allowedMarkets } = principal;
    if (allowedMarkets === undefined) return orders;
    const named = orders.flatMap(({ orderId }) => (orderId === undefined ? [] : [orderId]));
    const marketOf = await this.history.placedAmong(accountId, named);
    return orders.map((order) => {
      const marketId = order.orderId === undefined ? undefined : marketOf.get(order.orderId);
      if (marketId !== undefined && allowedMarkets.includes(marketId)) return order;
      return { ...order, orderId: undefined, isElsewhere: marketId !== undefined };
    });
  }

  /** Null for all markets at once; of those that a key is bound to, the ones that there are. */
  private marketsOf({ allowedMarkets }: Principal): readonly (string | null)[] {
    return allowedMarkets?.filter((marketId) => this.core.market(marketId) !== undefined) ?? [null];
  }

  private async tryCancel(
    principal: Principal,
    accountId: number,
    orderId: number,
  ): Promise<OrderWithFillsDto | undefined> {
    const { outcomes } = await this.core.submit({
      commands: [cancelOf(accountId, orderId)],
      actor: actorOf(principal),
    });
    const outcome = outcomes[0]!;
    if (!outcome.ok && outcome.refusal.code === 'order_not_open') return undefined;
    return this.history.describeOutcome(accountId, outcome);
  }
}

function cancelOf(accountId: number, orderId: number) {
  return { type: 'cancel_order', accountId, orderId } as const;
}

/** The engine knows live orders only; an order that was never the account's is not found. */
function refusalOf(outcome: Outcome & { ok: false }, wasPlaced: boolean): ApiError {
  const { refusal } = outcome;
  if (refusal.code === 'order_not_open' && !wasPlaced) return notFound();
  const error = errorOf(refusal);
  // The key belongs to the request as a whole, and so does its refusal.
  if (error.code === 'idempotency_key_reused') throw error;
  return error;
}

/** Why a named order is not even tried. */
function unreachable({ isElsewhere }: NamedOrder): ApiError {
  return isElsewhere === true ? marketNotAllowed() : notFound();
}

function notFound(): ApiError {
  return new ApiError(REFUSALS.order_not_found, 'There is no such order in this account. See GET /orders.');
}

function resultFor(
  { order_id, client_order_id }: NamedOrder,
  result: Omit<CancellationResultDto, 'order_id' | 'client_order_id'>,
): CancellationResultDto {
  const { order } = result;
  return {
    order_id: order?.order_id ?? order_id,
    client_order_id: order === undefined ? client_order_id : order.client_order_id,
    ...result,
  };
}
