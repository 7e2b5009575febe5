import { Injectable } from '@nestjs/common';
import type { EntityManager, SelectQueryBuilder } from 'typeorm';
import { ReadPool } from '../../../core/reads/read-pool.js';
import { decodeCursor, encodeCursor, type Filter, type Page, pageOf } from '../../../kit/http/pagination.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { MomentsService, type SequenceSpan } from '../../accounts/moments/moments.service.js';
import { fieldFilters } from '../orders/order-fields.service.js';
import { filtersOf, IS_LIVE, OrderHistoryService } from '../orders/order-history.service.js';
import type { OrderDto } from '../orders/order.dto.js';
import { OrderEntity } from '../orders/order.entity.js';
import type { ListAllOrdersQueryDto } from './all-trading.dto.js';

/** How much of the ledger a page looks at first, and at most: so no page is slow, however long the history is. */
const SCANNED_SEQUENCES_FIRST = 1_000;
const SCANNED_SEQUENCES_MAX = 16_000;

/**
 * The orders that were placed in a part of the ledger. The change of an account that placed one has the last sequence
 * of its commit, which may lie after that part.
 */
const PLACED_WITHIN = `
  SELECT DISTINCT change.account_id, placed.order_id
  FROM account_changes change
  CROSS JOIN LATERAL unnest(string_to_array(change.order_ids, ' ')::bigint[]) AS placed (order_id)
  WHERE change.ledger_sequence > $1 AND change.ledger_sequence <= coalesce(
      (SELECT last_sequence FROM journal_commits WHERE last_sequence >= $2 ORDER BY last_sequence LIMIT 1), $2)
    AND placed.order_id > $1 AND placed.order_id <= $2`;

/** The orders of all accounts. */
@Injectable()
export class AllOrders {
  constructor(
    private readonly access: AccountAccessService,
    private readonly history: OrderHistoryService,
    private readonly moments: MomentsService,
    private readonly reads: ReadPool,
  ) {}

  /**
   * Newest first. Where few orders meet the filter, a page may be shorter than its limit, even empty, and still have a
   * next one. Throws `account_not_found`, `invalid_cursor`, `validation_failed`.
   */
  async list(query: ListAllOrdersQueryDto): Promise<Page<OrderDto>> {
    if (query.account_id !== undefined) {
      const { accountId } = await this.access.customerAccount(query.account_id);
      return this.history.listOf(accountId, query, 'operators');
    }
    const [before] = decodeCursor(query.cursor, ['integer']) ?? [Number.MAX_SAFE_INTEGER];
    const { after, until } = await this.moments.spanOf(query);
    const { sequence } = await this.moments.present();
    const span = { after, until: Math.min(until, before - 1, sequence) };
    const { conditions: ofOrder, isLive } = filtersOf(query);
    const conditions = [...ofOrder, ...fieldFilters(query.fields)];
    const page = await this.reads.read((manager) =>
      isLive ? this.live(manager, span, conditions, query) : this.placed(manager, span, conditions, query),
    );
    return { ...page, data: await this.history.show(page.data, 'operators') };
  }

  /** Live orders are not many, whatever has been: their own index has them all. */
  private async live(
    manager: EntityManager,
    { after, until }: SequenceSpan,
    conditions: readonly Filter[],
    { limit }: ListAllOrdersQueryDto,
  ): Promise<Page<OrderEntity>> {
    const selection = filtered(manager, conditions)
      .andWhere(IS_LIVE)
      .andWhere('o.order_id BETWEEN :first AND :last', { first: after + 1, last: until });
    return this.page(await newest(selection, limit), limit);
  }

  /** Goes back along the ledger, in steps that double, until the page is full or enough was looked at. */
  private async placed(
    manager: EntityManager,
    { after, until }: SequenceSpan,
    conditions: readonly Filter[],
    { limit }: ListAllOrdersQueryDto,
  ): Promise<Page<OrderEntity>> {
    const rows: OrderEntity[] = [];
    let end = until;
    const lowest = Math.max(after, until - SCANNED_SEQUENCES_MAX);
    for (let step = SCANNED_SEQUENCES_FIRST; end > lowest && rows.length <= limit; step *= 2) {
      const start = Math.max(lowest, end - step);
      const keys = await manager.query<{ readonly account_id: string; readonly order_id: string }[]>(
        PLACED_WITHIN,
        [start, end],
      );
      const selection = filtered(manager, conditions).andWhere(
        `(o.account_id, o.order_id) IN (SELECT * FROM unnest(:accountIds::bigint[], :orderIds::bigint[]))`,
        { accountIds: keys.map((key) => key.account_id), orderIds: keys.map((key) => key.order_id) },
      );
      if (keys.length > 0) rows.push(...(await newest(selection, limit)));
      end = start;
    }
    const page = this.page(rows, limit);
    if (page.next_cursor !== null || end <= after) return page;
    return { data: page.data, next_cursor: encodeCursor([end + 1]) };
  }

  private page(rows: readonly OrderEntity[], limit: number): Page<OrderEntity> {
    return pageOf(
      rows,
      limit,
      ({ orderId }) => [orderId],
      (order) => order,
    );
  }
}

function filtered(manager: EntityManager, conditions: readonly Filter[]): SelectQueryBuilder<OrderEntity> {
  const selection = manager.createQueryBuilder(OrderEntity, 'o').where('TRUE');
  for (const condition of conditions) selection.andWhere(...condition);
  return selection;
}

function newest(selection: SelectQueryBuilder<OrderEntity>, limit: number): Promise<OrderEntity[]> {
  return selection
    .orderBy('o.orderId', 'DESC')
    .limit(limit + 1)
    .getMany();
}
