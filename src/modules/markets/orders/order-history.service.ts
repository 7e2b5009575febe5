import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { ReadPool } from '../../../core/reads/read-pool.js';
import type { Outcome } from '../../../domain/engine/commands.js';
import type { OrderSnapshot, OrderStatus } from '../../../domain/engine/types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, type Filter, filteredPageOf } from '../../../kit/http/pagination.js';
import type { FieldReader } from '../../../kit/http/fielded.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import type { AccountAct } from '../../accounts/access/account-roles.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { MomentsService } from '../../accounts/moments/moments.service.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { fieldFilters, OrderFieldsService } from './order-fields.service.js';
import { OrderFillsService } from './order-fills.service.js';
import { TrailingProgressService } from './trailing-progress.service.js';
import {
  type ListOrdersQueryDto,
  type OrderDto,
  type OrderWithFillsDto,
  toOrderDto,
  toOrderWithFillsDto,
} from './order.dto.js';
import { OrderEntity } from './order.entity.js';
import { ORDER_IDS } from '../names/ids.js';

const LIVE_STATUSES: readonly OrderStatus[] = ['open', 'partially_filled', 'untriggered'];

/**
 * Exactly the condition of the partial index `orders_live`, for the alias `o`: with a parameter the planner would not
 * use the index.
 */
export const IS_LIVE = `o.status IN ('open', 'partially_filled', 'untriggered')`;

/** Orders as the database has them: everything that was acknowledged. */
@Injectable()
export class OrderHistoryService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly fills: OrderFillsService,
    private readonly fields: OrderFieldsService,
    private readonly trailing: TrailingProgressService,
    private readonly moments: MomentsService,
    private readonly reads: ReadPool,
    @InjectRepository(OrderEntity) private readonly orders: Repository<OrderEntity>,
  ) {}

  /** Throws `order_not_found`. */
  async get(principal: Principal, id: string): Promise<OrderWithFillsDto> {
    await this.core.projected();
    return this.describe(await this.find(principal, id, 'read'));
  }

  /**
   * An order in one of the accounts on which the principal has a role. What never changes of it is certain; the
   * rest is as it was a moment ago, unless the order is that new. Throws `order_not_found`, and `forbidden` (403) where
   * the role does not allow the act.
   */
  async find(principal: Principal, id: string, act: AccountAct): Promise<OrderSnapshot> {
    const orderId = ORDER_IDS.parse(id);
    let order = orderId === undefined ? null : await this.findInAccounts(principal, orderId);
    if (order === null && orderId !== undefined) {
      await this.core.projected();
      order = await this.findInAccounts(principal, orderId);
    }
    if (order === null || !(await this.access.reaches(principal, order.accountId, act)))
      throw new ApiError(REFUSALS.order_not_found, 'There is no such order. See GET /orders.');
    return this.snapshotOf(order);
  }

  /** The order as it is now; it must exist. */
  async read(accountId: number, orderId: number): Promise<OrderWithFillsDto> {
    await this.core.projected();
    return this.describe(await this.snapshotOf(await this.orders.findOneByOrFail({ accountId, orderId })));
  }

  /** The order that a command changed; where a repeat only refers to it, as it is now. */
  describeOutcome(accountId: number, outcome: Outcome | undefined): Promise<OrderWithFillsDto> {
    if (outcome?.ok === true && outcome.result.type === 'order_reference')
      return this.read(accountId, outcome.result.orderId);
    return this.describe(resultOf(outcome, 'order').order);
  }

  /** Which of these orders the account has ever placed, with their markets. */
  async placedAmong(accountId: number, orderIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
    if (orderIds.length === 0) return new Map();
    await this.core.projected();
    const found = await this.orders.find({
      select: { orderId: true, marketId: true },
      where: { accountId, orderId: In([...orderIds]) },
    });
    return new Map(found.map(({ orderId, marketId }) => [orderId, marketId]));
  }

  /** The order together with its fills so far. */
  async describe(order: OrderSnapshot): Promise<OrderWithFillsDto> {
    const described = toOrderWithFillsDto(
      order,
      await this.fills.of(order),
      this.catalog.view(order.marketId).definition,
      this.catalog.fields,
    );
    return (await this.trailing.complete([described]))[0]!;
  }

  /**
   * Newest first. Where few orders meet the filter, a page may be shorter than its limit, even empty, and
   * still have a next one. Throws `account_not_found`, `invalid_cursor`, `validation_failed`.
   */
  async list(principal: Principal, query: ListOrdersQueryDto): Promise<Page<OrderDto>> {
    return this.listOf(await this.access.accountIdOf(principal, query.account_id, 'read'), query);
  }

  /** As `list`, of any account. */
  async listOf(
    accountId: number,
    query: Omit<ListOrdersQueryDto, 'account_id'>,
    reader: FieldReader = 'owner',
  ): Promise<Page<OrderDto>> {
    const [before] = decodeCursor(query.cursor, ['integer']) ?? [Number.MAX_SAFE_INTEGER];
    const { after, until } = await this.moments.spanOf(query);
    const { conditions, isLive } = filtersOf(query);

    let orderId: number | undefined;
    if (query.client_order_id !== undefined) {
      orderId = (await this.core.orderIdsOf(accountId, [query.client_order_id])).get(query.client_order_id);
      if (orderId === undefined) return { data: [], next_cursor: null };
    }

    await this.core.projected();
    const page = await this.reads.read((manager) => {
      const selection = manager
        .createQueryBuilder(OrderEntity, 'o')
        .where('o.account_id = :accountId', { accountId });
      selection.andWhere('o.order_id BETWEEN :first AND :last', {
        first: after + 1,
        last: Math.min(before - 1, until),
      });
      if (orderId !== undefined) selection.andWhere('o.order_id = :orderId', { orderId });
      for (const filter of fieldFilters(query.fields)) selection.andWhere(...filter);
      // Live orders are bounded and have an index. Of those that have ended there may be any number.
      if (isLive) {
        selection.andWhere(IS_LIVE);
        for (const condition of conditions) selection.andWhere(...condition);
      }
      return filteredPageOf(selection, {
        key: 'o.orderId',
        keyOf: (order) => order.orderId,
        filters: isLive ? [] : conditions,
        limit: query.limit,
        toItem: (order) => order,
      });
    });
    return { ...page, data: await this.show(page.data, reader) };
  }

  /** Stored orders, without their fills. */
  async show(orders: readonly OrderEntity[], reader: FieldReader): Promise<OrderDto[]> {
    const shown = (await this.fields.snapshots(orders)).map((order) =>
      toOrderDto(order, unitsOf(this.catalog.view(order.marketId).definition), this.catalog.fields, reader),
    );
    return this.trailing.complete(shown);
  }

  private async snapshotOf(order: OrderEntity): Promise<OrderSnapshot> {
    return (await this.fields.snapshots([order]))[0]!;
  }

  private async findInAccounts(principal: Principal, orderId: number): Promise<OrderEntity | null> {
    if (principal.accountId !== null) {
      const order = await this.orders.findOneBy({ accountId: principal.accountId, orderId });
      if (order !== null) return order;
    }
    const others = await this.access.otherAccountIds(principal);
    return others.length === 0 ? null : this.orders.findOneBy({ accountId: In(others), orderId });
  }
}

/**
 * What an order must be besides of its account and period, for the alias `o`; and whether only live ones are, of which
 * there is a bounded number.
 */
export function filtersOf({
  market_id: marketId,
  status,
}: Pick<ListOrdersQueryDto, 'market_id' | 'status'>): {
  readonly conditions: readonly Filter[];
  readonly isLive: boolean;
} {
  const statuses = status?.split(',') as OrderStatus[] | undefined;
  const conditions: Filter[] = [];
  if (marketId !== undefined) conditions.push(['o.market_id = :marketId', { marketId }]);
  if (statuses !== undefined) conditions.push(['o.status IN (:...statuses)', { statuses }]);
  return { conditions, isLive: statuses?.every((each) => LIVE_STATUSES.includes(each)) ?? false };
}
