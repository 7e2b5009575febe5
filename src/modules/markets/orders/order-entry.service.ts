import { errorOf } from '../../accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import type { AmendOrder, Outcome, PlaceOrder, ReplaceOrder } from '../../../domain/engine/commands.js';
import { isRefusal } from '../../../domain/engine/context.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { CodedError } from '../../../kit/coded-error.js';
import { type Awaitable, onceKnown } from '../../../kit/awaitable.js';
import { ApiError, type FieldError } from '../../../kit/http/errors.js';
import { toApiError } from '../../../kit/server/exception.filter.js';
import { CompiledValidationPipe } from '../../../kit/http/validation/compiled-validation.pipe.js';
import { requireAllowedMarket } from '../../../kit/security/allowed-markets.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { idempotencyOf } from '../../accounts/commands/idempotency.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { type GatedOrder, OrderGate } from '../../limits/order-gate.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import type { AmendOrderDto } from './amend-order.dto.js';
import { OrderPolicies } from './order-policies.js';
import {
  type OrderBatchDto,
  type OrderBatchResultDto,
  type PlaceOrderBatchDto,
  refusedResult,
} from './order-batch.dto.js';
import { combinationErrors, replacementErrors, toAmendOrder, toPlaceOrder } from './order-command.js';
import { OrderHistoryService } from './order-history.service.js';
import {
  type OrderPreviewDto,
  type ReplacementPreviewDto,
  toOrderPreviewDto,
  toReplacementPreviewDto,
} from './order-preview.dto.js';
import { type OrderWithFillsDto, toOrderWithFillsDto } from './order.dto.js';
import { PlaceOrderDto } from './place-order.dto.js';
import type { ReplacedOrderDto, ReplaceOrderDto } from './replace-order.dto.js';

/**
 * Sends new orders and amendments to the core, past the limits that owners set themselves. Errors come in this order: the
 * body, the account, the market, whether the key may trade on it, ticks and lots, the house's risk checks, repeats, and then
 * the engine's refusals.
 */
@Injectable()
export class OrderEntryService {
  private readonly validation: CompiledValidationPipe;

  constructor(
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly history: OrderHistoryService,
    private readonly policies: OrderPolicies,
    private readonly limits: OrderGate,
  ) {
    this.validation = new CompiledValidationPipe(catalog.fields);
  }

  /** Resolves once the order and its fills are durable. */
  async place(
    principal: Principal,
    body: PlaceOrderDto,
    key: string | undefined,
  ): Promise<Replayable<OrderWithFillsDto>> {
    const command = await this.commandOf(principal, body);
    const idempotency = idempotencyOf(principal, key, '/orders', body);
    const { outcomes, replayed } = await this.limits.submit(principal, [this.gatedOrderOf(command)], {
      idempotency,
      actor: actorOf(principal),
    });
    return this.toPlaced(command.accountId, outcomes[0]!, replayed[0]!);
  }

  /** Each order on its own, all in one unit of work; `requestId` goes into the errors of those that fail. */
  async placeBatch(
    principal: Principal,
    body: PlaceOrderBatchDto,
    key: string | undefined,
    requestId: string,
  ): Promise<Replayable<OrderBatchDto>> {
    const prepared = await Promise.all(body.orders.map((order) => this.prepareBatchItem(principal, order)));
    const commands = prepared.filter((item): item is PlaceOrder => !(item instanceof ApiError));
    if (commands.length === 0) {
      const results = prepared.map((item) => refusedResult(item as ApiError, requestId));
      return { body: { results }, replayed: false };
    }

    // Which orders failed before the core is part of what the key stands for: answers are matched by place.
    const failedAt = prepared.flatMap((item, i) => (item instanceof ApiError ? [i] : []));
    const idempotency = idempotencyOf(principal, key, '/orders/batch', { orders: body.orders, failedAt });
    const gatedOrders = commands.map((command) => this.gatedOrderOf(command));
    const answer = await this.limits.submit(principal, gatedOrders, {
      idempotency,
      actor: actorOf(principal),
    });
    const isReplayed = idempotency !== undefined && answer.replayed.every(Boolean);
    let next = 0;
    const results = await Promise.all(
      prepared.map(async (item): Promise<OrderBatchResultDto> => {
        if (item instanceof ApiError) return refusedResult(item, requestId);
        const i = next++;
        return this.toBatchResult(item.accountId, answer.outcomes[i]!, answer.replayed[i]!, requestId);
      }),
    );
    return { body: { results }, replayed: isReplayed };
  }

  /** What `place` would do, without doing it. */
  async preview(principal: Principal, body: PlaceOrderDto): Promise<OrderPreviewDto> {
    const command = await this.commandOf(principal, body);
    const gated = this.gatedOrderOf(command);
    const preview = await this.limits.preview(principal, gated);
    if (isRefusal(preview)) throw errorOf(preview);
    return toOrderPreviewDto(preview, unitsOf(gated.market));
  }

  /**
   * Cancels an order and places another one, in one command. Throws `order_not_found`, `market_not_allowed`,
   * `order_not_open`, and those refusals of `place` that do not depend on the cancellation; from there on the answer
   * tells of both orders.
   */
  async replace(
    principal: Principal,
    id: string,
    body: ReplaceOrderDto,
    key: string | undefined,
  ): Promise<Replayable<ReplacedOrderDto>> {
    const command = await this.replacementOf(principal, id, body);
    const { accountId, replacedOrderId: orderId } = command;
    const idempotency = idempotencyOf(principal, key, `/orders/${id}/replace`, body);
    const { outcomes, replayed } = await this.limits.submit(principal, [this.gatedOrderOf(command)], {
      idempotency,
      actor: actorOf(principal),
    });
    const outcome = outcomes[0]!;
    const placed = await this.toPlaced(accountId, outcome, replayed[0]!);
    const replaced = outcome.ok && outcome.result.type === 'order' ? outcome.result.replaced : undefined;
    return {
      body: {
        replaced:
          replaced === undefined
            ? await this.history.read(accountId, orderId)
            : await this.history.describe(replaced),
        order: placed.body,
      },
      replayed: placed.replayed,
    };
  }

  /** What `replace` would do, without doing it. Throws what it throws. */
  async previewReplacement(
    principal: Principal,
    id: string,
    body: ReplaceOrderDto,
  ): Promise<ReplacementPreviewDto> {
    const gated = this.gatedOrderOf(await this.replacementOf(principal, id, body));
    const preview = await this.limits.preview(principal, gated);
    if (isRefusal(preview)) throw errorOf(preview);
    return toReplacementPreviewDto(preview, unitsOf(gated.market));
  }

  /** Throws `order_not_found`, `market_not_allowed`, `order_not_open` and the refusals of an amendment. */
  async amend(principal: Principal, id: string, body: AmendOrderDto): Promise<OrderWithFillsDto> {
    const gated = await this.amendmentOf(principal, id, body);
    const { command } = gated;
    const { outcomes } = await this.limits.submit(principal, [gated], { actor: actorOf(principal) });
    return this.history.describeOutcome(command.accountId, outcomes[0]);
  }

  /** What `amend` would do, without doing it. Throws what it throws. */
  async previewAmendment(principal: Principal, id: string, body: AmendOrderDto): Promise<OrderPreviewDto> {
    const gated = await this.amendmentOf(principal, id, body);
    const preview = await this.limits.preview(principal, gated);
    if (isRefusal(preview)) throw errorOf(preview);
    return toOrderPreviewDto(preview, unitsOf(gated.market));
  }

  /** The command of a validated body, with the house's verdicts. */
  private commandOf(principal: Principal, body: PlaceOrderDto): Awaitable<PlaceOrder> {
    requireNone(combinationErrors(body));
    return onceKnown(this.access.accountIdOf(principal, body.account_id, 'trade'), (accountId) =>
      this.commandFor(principal, body, accountId),
    );
  }

  /** The command of a validated body for an order in an account on which the principal trades. */
  private async replacementOf(
    principal: Principal,
    id: string,
    body: ReplaceOrderDto,
  ): Promise<ReplaceOrder> {
    requireNone(replacementErrors(body));
    const { accountId, orderId, marketId } = await this.history.find(principal, id, 'trade');
    const { total_size: totalSize, ...terms } = body;
    const order = { ...terms, market_id: marketId, ...(totalSize != null && { size: totalSize }) };
    return {
      ...(await this.commandFor(principal, order, accountId)),
      type: 'replace_order',
      replacedOrderId: orderId,
      ...(totalSize != null && { countsFilled: true }),
    };
  }

  /** The command of a validated body for an account on which the principal trades. */
  private commandFor(principal: Principal, body: PlaceOrderDto, accountId: number): Awaitable<PlaceOrder> {
    const definition = this.definitionOf(body.market_id);
    requireAllowedMarket(principal, definition.marketId);
    const command = toPlaceOrder(body, definition, accountId);
    if (isRefusal(command)) throw errorOf(command);
    return this.policies.applyTo(command, definition);
  }

  /** The command of a validated body for an order in an account on which the principal trades. */
  private async amendmentOf(
    principal: Principal,
    id: string,
    body: AmendOrderDto,
  ): Promise<GatedOrder<AmendOrder>> {
    if (body.price == null && body.size == null && body.fields === undefined) {
      throw ApiError.validation([{ field: 'price', message: 'price or size must be given' }]);
    }
    const order = await this.history.find(principal, id, 'trade');
    requireAllowedMarket(principal, order.marketId);
    const definition = this.definitionOf(order.marketId);
    const command = toAmendOrder(body, definition, order.accountId, order.orderId);
    if (isRefusal(command)) throw errorOf(command);
    await this.policies.reviewAmended(order, command, definition);
    return { command, market: definition };
  }

  private async prepareBatchItem(principal: Principal, order: unknown): Promise<PlaceOrder | ApiError> {
    try {
      const body = await this.validation.transform(order, { type: 'body', metatype: PlaceOrderDto });
      return await this.commandOf(principal, body as PlaceOrderDto);
    } catch (error) {
      if (error instanceof CodedError) return toApiError(error);
      throw error;
    }
  }

  private toPlaced(
    accountId: number,
    outcome: Outcome,
    replayed: boolean,
  ): Replayable<OrderWithFillsDto> | Promise<Replayable<OrderWithFillsDto>> {
    if (!outcome.ok) throw errorOf(outcome.refusal);
    const { result } = outcome;
    if (result.type === 'order' && !replayed) {
      if (result.order.type === 'trailing_stop')
        return this.history.describe(result.order).then((body) => ({ body, replayed }));
      return {
        body: toOrderWithFillsDto(
          result.order,
          result.fills,
          this.definitionOf(result.order.marketId),
          this.catalog.fields,
        ),
        replayed,
      };
    }
    const { orderId } = result.type === 'order' ? result.order : resultOf(outcome, 'order_reference');
    return this.history.read(accountId, orderId).then((body) => ({ body, replayed }));
  }

  private async toBatchResult(
    accountId: number,
    outcome: Outcome,
    replayed: boolean,
    requestId: string,
  ): Promise<OrderBatchResultDto> {
    if (!outcome.ok) {
      const error = errorOf(outcome.refusal);
      // The key belongs to the batch as a whole, and so does its refusal.
      if (error.code === 'idempotency_key_reused') throw error;
      return refusedResult(error, requestId);
    }
    const placed = await this.toPlaced(accountId, outcome, replayed);
    return { status: placed.replayed ? 200 : 201, order: placed.body };
  }

  private gatedOrderOf<C extends PlaceOrder | ReplaceOrder>(command: C): GatedOrder<C> {
    return { command, market: this.definitionOf(command.marketId) };
  }

  private definitionOf(marketId: string): MarketDefinition {
    return this.catalog.view(marketId).definition;
  }
}

/** Throws `validation_failed` for fields that do not go together. */
function requireNone(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw ApiError.validation(errors);
}
