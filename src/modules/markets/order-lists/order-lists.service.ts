import { errorOf, REFUSALS } from '../../accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import type { PlaceOrderList } from '../../../domain/engine/commands.js';
import { isRefusal } from '../../../domain/engine/context.js';
import type { OrderSnapshot } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { ORDER_LIST_NOT_FOUND } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { decodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import { requireAllowedMarket } from '../../../kit/security/allowed-markets.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { AccountAct } from '../../accounts/access/account-roles.js';
import { idempotencyOf } from '../../accounts/commands/idempotency.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { type GatedOrder, OrderGate } from '../../limits/order-gate.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { toPlaceOrder } from '../orders/order-command.js';
import { OrderHistoryService } from '../orders/order-history.service.js';
import { OrderPolicies } from '../orders/order-policies.js';
import { type OrderListPreviewDto, toOrderListPreviewDto } from '../orders/order-preview.dto.js';
import { OrderFieldsService } from '../orders/order-fields.service.js';
import { toOrderDto } from '../orders/order.dto.js';
import { OrderEntity } from '../orders/order.entity.js';
import { TrailingProgressService } from '../orders/trailing-progress.service.js';
import { listErrors, listErrorsOf, partsOf, toPlaceOrderList } from './order-list-command.js';
import type { ListOrderListsQueryDto, OrderListDto, PlaceOrderListDto } from './order-list.dto.js';
import { ORDER_IDS, ORDER_LIST_IDS } from '../names/ids.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** Order lists: orders that one command places, and of which one ends the others. */
@Injectable()
export class OrderListsService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly history: OrderHistoryService,
    private readonly trailing: TrailingProgressService,
    private readonly fields: OrderFieldsService,
    private readonly policies: OrderPolicies,
    private readonly limits: OrderGate,
    private readonly reads: ReadPool,
    @InjectRepository(OrderEntity) private readonly orders: Repository<OrderEntity>,
  ) {}

  /** Resolves once all orders are durable, and what they filled. Throws as placing each of them alone would. */
  async place(
    principal: Principal,
    body: PlaceOrderListDto,
    key: string | undefined,
  ): Promise<Replayable<OrderListDto>> {
    const gated = await this.gatedOrderOf(principal, body);
    const { outcomes, replayed } = await this.limits.submit(principal, [gated], {
      idempotency: idempotencyOf(principal, key, '/order-lists', body),
      actor: actorOf(principal),
    });
    const [outcome] = outcomes;
    if (outcome?.ok === true && outcome.result.type === 'order_list' && !replayed[0]!)
      return { body: await this.complete(this.describe(outcome.result.orders)), replayed: false };
    const reference = resultOf(outcome, 'order_list_reference');
    return { body: await this.read(gated.command.accountId, reference.listId), replayed: replayed[0]! };
  }

  /** What `place` would do, without doing it. Throws what it throws. */
  async preview(principal: Principal, body: PlaceOrderListDto): Promise<OrderListPreviewDto> {
    const gated = await this.gatedOrderOf(principal, body);
    const preview = await this.limits.preview(principal, gated);
    if (isRefusal(preview)) throw errorOf(preview);
    return toOrderListPreviewDto(preview, unitsOf(gated.market));
  }

  /** Throws `order_list_not_found`. */
  async get(principal: Principal, id: string): Promise<OrderListDto> {
    await this.core.projected();
    const { accountId, listId } = await this.find(principal, id, 'read');
    return this.read(accountId, listId);
  }

  /** Cancels what is live of it. Throws `order_list_not_found`, `market_not_allowed`, and `order_list_not_open`. */
  async cancel(principal: Principal, id: string): Promise<OrderListDto> {
    const { accountId, listId, marketId } = await this.find(principal, id, 'trade');
    requireAllowedMarket(principal, marketId);
    const { outcomes } = await this.core.submit({
      commands: [{ type: 'cancel_order_list', accountId, listId }],
      actor: actorOf(principal),
    });
    resultOf(outcomes[0], 'orders_cancelled');
    return this.read(accountId, listId);
  }

  /** Newest first. Throws `account_not_found`, `invalid_cursor`. */
  async list(principal: Principal, query: ListOrderListsQueryDto): Promise<Page<OrderListDto>> {
    const accountId = await this.access.accountIdOf(principal, query.account_id, 'read');
    const [before] = decodeCursor(query.cursor, ['integer']) ?? [Number.MAX_SAFE_INTEGER];
    await this.core.projected();
    const page = await this.reads.read(async (manager) => {
      const lists = await manager
        .createQueryBuilder(OrderEntity, 'o')
        .select('o.list_id', 'listId')
        .distinct()
        .where('o.account_id = :accountId AND o.list_id < :before', { accountId, before })
        .orderBy('o.list_id', 'DESC')
        .limit(query.limit + 1)
        .getRawMany<{ listId: string }>();
      const listIds = lists.map(({ listId }) => Number(listId));
      const found = await manager.find(OrderEntity, {
        where: { accountId, listId: In(listIds) },
        order: { orderId: 'ASC' },
      });
      const snapshots = await this.fields.snapshots(found, manager);
      return pageOf(
        listIds,
        query.limit,
        (listId) => [listId],
        (listId) => this.describe(snapshots.filter(({ advanced }) => advanced?.listId === listId)),
      );
    });
    return { ...page, data: await Promise.all(page.data.map((list) => this.complete(list))) };
  }

  /** The command of a validated body, with the house's verdicts on each of its orders. */
  private async gatedOrderOf(
    principal: Principal,
    body: PlaceOrderListDto,
  ): Promise<GatedOrder<PlaceOrderList>> {
    requireNone(listErrors(body));
    const accountId =
      body.account_id == null
        ? this.access.ownAccountId(principal)
        : await this.access.accountIdOf(principal, body.account_id, 'trade');
    const { definition } = this.catalog.view(body.orders[0]!.market_id);
    requireAllowedMarket(principal, definition.marketId);
    const { entry, exits } = partsOf(body.type, body.orders);
    const placed = [];
    for (const order of entry === null ? exits : [entry, ...exits]) {
      const command = toPlaceOrder(order, definition, accountId);
      if (isRefusal(command)) throw errorOf(command);
      placed.push(await this.policies.applyTo(command, definition));
    }
    const [limit, stop] = placed.slice(-2);
    const parts = { entry: entry === null ? null : placed[0]!, exits: [limit!, stop!] } as const;
    requireNone(listErrorsOf(parts, definition));
    const command = toPlaceOrderList(parts, body.client_order_list_id ?? null);
    return { command, market: definition };
  }

  /** The first order of a list has the number after its own. */
  private async find(
    principal: Principal,
    id: string,
    act: AccountAct,
  ): Promise<{ readonly accountId: number; readonly listId: number; readonly marketId: string }> {
    const listId = ORDER_LIST_IDS.parse(id);
    const first =
      listId === undefined
        ? undefined
        : await this.history.find(principal, ORDER_IDS.format(listId + 1), act).catch(notFoundAsUndefined);
    if (listId === undefined || first?.advanced?.listId !== listId)
      throw new ApiError(ORDER_LIST_NOT_FOUND, 'There is no such order list. See GET /order-lists.');
    return { accountId: first.accountId, listId, marketId: first.marketId };
  }

  private async read(accountId: number, listId: number): Promise<OrderListDto> {
    await this.core.projected();
    const orders = await this.orders.find({ where: { accountId, listId }, order: { orderId: 'ASC' } });
    return this.complete(this.describe(await this.fields.snapshots(orders)));
  }

  /** With where its trailing stop stands. */
  private async complete(list: OrderListDto): Promise<OrderListDto> {
    return { ...list, orders: await this.trailing.complete(list.orders) };
  }

  private describe(orders: readonly OrderSnapshot[]): OrderListDto {
    const { accountId, marketId, advanced, createdAtMs } = orders[0]!;
    const units = unitsOf(this.catalog.view(marketId).definition);
    const isOpen = orders.some(({ status }) => ['open', 'partially_filled', 'untriggered'].includes(status));
    return {
      order_list_id: ORDER_LIST_IDS.format(advanced!.listId!),
      client_order_list_id: advanced!.clientListId,
      account_id: ACCOUNT_IDS.format(accountId),
      market_id: marketId,
      type: advanced!.listRole === 'entry' ? 'bracket' : 'oco',
      status: isOpen ? 'open' : 'done',
      orders: orders.map((order) => toOrderDto(order, units, this.catalog.fields)),
      created_at: new Date(createdAtMs).toISOString(),
    };
  }
}

function requireNone(errors: Parameters<typeof ApiError.validation>[0]): void {
  if (errors.length > 0) throw ApiError.validation(errors);
}

/** A list is found by its first order. */
function notFoundAsUndefined(error: unknown): undefined {
  if (ApiError.is(error, REFUSALS.order_not_found)) return undefined;
  throw error;
}
