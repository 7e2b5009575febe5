import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Between, type DataSource, type EntityManager, In, MoreThanOrEqual } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { BalanceEntity } from '../holdings/balance.entity.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { TradeEntity } from '../market-data/trade.entity.js';
import { IS_LIVE } from '../orders/order-history.service.js';
import { OrderEntity } from '../orders/order.entity.js';
import { OrderFieldsService } from '../orders/order-fields.service.js';
import { AccountChangeEntity } from './account-change.entity.js';
import { type AccountTrade, snapshotEvent, updateEvent } from './account-event.js';
import type { SnapshotReason } from './account-stream.dto.js';
import type { AccountEvent } from './account-stream.events.js';

/** A client that lacks more changes gets a snapshot instead. */
export const CHANGES_TOLD_MAX = 10_000;
/** How many changes one event sums up for a client that comes back. */
const CHANGES_PER_PAGE = 200;
/** How many live orders one part of a snapshot tells. */
export const ORDERS_PER_PART = 500;

/** How far a client has come in an account. */
export interface AccountCursor {
  /** Undefined where the client has nothing yet. */
  readonly sequence: number | undefined;
  /** Set while a snapshot is being sent: the last live order sent, and the reason of the snapshot. */
  readonly snapshot?: { readonly afterOrderId: number; readonly reason: SnapshotReason };
}

/** The next page for a client. */
export interface AccountPage {
  /** Null where nothing has happened since. */
  readonly event: AccountEvent | null;
  readonly cursor: AccountCursor;
  /** Whether the page reaches the cursor's sequence, with no commit during the read. */
  readonly isUpToDate: boolean;
}

/**
 * Reads what a client of an account lacks, from indexes alone, in pages: all fills, and the current orders and
 * balances. Each page is of one moment, and later pages of later moments, so the client never sees an older state after
 * a newer one.
 */
@Injectable()
export class AccountReader {
  constructor(
    private readonly core: CoreService,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly catalog: MarketCatalogService,
    private readonly fields: OrderFieldsService,
  ) {}

  /** The page after a cursor; a snapshot without a cursor, or if the cursor cannot be continued. */
  async next(accountId: number, cursor: AccountCursor): Promise<AccountPage> {
    await this.core.projected();
    return this.dataSource.transaction('REPEATABLE READ', (manager) => {
      const moment = new AccountMoment(manager, this.catalog, this.fields, accountId);
      return cursor.snapshot === undefined
        ? moment.changesSince(cursor.sequence)
        : moment.snapshotPart(cursor.snapshot.reason, cursor.sequence!, cursor.snapshot.afterOrderId);
    });
  }
}

/** An account at the moment at which a transaction reads it. */
class AccountMoment {
  constructor(
    private readonly manager: EntityManager,
    private readonly catalog: MarketCatalogService,
    private readonly fields: OrderFieldsService,
    private readonly accountId: number,
  ) {}

  async changesSince(offset: number | undefined): Promise<AccountPage> {
    const last = await this.manager.findOne(AccountChangeEntity, {
      where: { accountId: this.accountId },
      order: { sequence: 'DESC' },
    });
    const sequence = last?.sequence ?? 0;
    if (offset === undefined) return this.snapshotPart('subscribed', sequence);
    if (offset > sequence) return this.snapshotPart('unknown_offset', sequence);
    if (sequence - offset > CHANGES_TOLD_MAX) return this.snapshotPart('too_far_behind', sequence);
    if (offset === sequence) return { event: null, cursor: { sequence }, isUpToDate: true };
    return this.update(offset, sequence);
  }

  /** A part of a snapshot that was begun at a sequence; the first one has the balances with it. */
  async snapshotPart(
    reason: SnapshotReason,
    sequence: number,
    afterOrderId: number | null = null,
  ): Promise<AccountPage> {
    const isFirst = afterOrderId === null;
    const orders = await this.liveOrders(afterOrderId ?? 0);
    const isLast = orders.length <= ORDERS_PER_PART;
    const sent = orders.slice(0, ORDERS_PER_PART);
    const balances = isFirst ? await this.balances() : [];
    const content = { orders: await this.fields.snapshots(sent, this.manager), trades: [], balances };
    return {
      event: snapshotEvent(this.accountId, sequence, content, { reason, isLast }, this.catalog),
      cursor: isLast ? { sequence } : { sequence, snapshot: { reason, afterOrderId: sent.at(-1)!.orderId } },
      // Later parts are of later moments, so changes since the first part follow after the last.
      isUpToDate: isFirst && isLast,
    };
  }

  private async update(offset: number, lastSequence: number): Promise<AccountPage> {
    // The change at the offset itself, which the client has, tells where in the ledger the first new one begins.
    const changes = await this.manager.find(AccountChangeEntity, {
      where: { accountId: this.accountId, sequence: MoreThanOrEqual(offset) },
      order: { sequence: 'ASC' },
      take: CHANGES_PER_PAGE + 1,
    });
    const known = changes[0]!.sequence === offset ? changes.shift() : undefined;
    const { sequence, ledgerSequence } = changes.at(-1)!;
    const orderIds = new Set(changes.flatMap(({ orderIds: ids }) => ids.split(' ').filter(Boolean)));
    const content = {
      orders: await this.fields.snapshots(await this.orders([...orderIds].map(Number)), this.manager),
      trades: await this.trades((known?.ledgerSequence ?? 0) + 1, ledgerSequence),
      balances: await this.balances(),
    };
    return {
      event: updateEvent(this.accountId, { previous: offset, sequence }, content, Date.now(), this.catalog),
      cursor: { sequence },
      isUpToDate: sequence === lastSequence,
    };
  }

  /** One more than a part has, to detect the last part. */
  private liveOrders(afterOrderId: number): Promise<OrderEntity[]> {
    return this.manager
      .createQueryBuilder(OrderEntity, 'o')
      .where('o.account_id = :accountId AND o.order_id > :afterOrderId', {
        accountId: this.accountId,
        afterOrderId,
      })
      .andWhere(IS_LIVE)
      .orderBy('o.order_id', 'ASC')
      .limit(ORDERS_PER_PART + 1)
      .getMany();
  }

  private orders(orderIds: readonly number[]): Promise<OrderEntity[]> {
    return this.manager.find(OrderEntity, {
      where: { accountId: this.accountId, orderId: In(orderIds) },
      order: { orderId: 'ASC' },
    });
  }

  private balances(): Promise<BalanceEntity[]> {
    return this.manager.find(BalanceEntity, {
      where: { accountId: this.accountId },
      order: { asset: 'ASC' },
    });
  }

  /** Each side from its own index, oldest first. */
  private async trades(from: number, to: number): Promise<AccountTrade[]> {
    const tradeId = Between(from, to);
    const asMaker = await this.manager.find(TradeEntity, {
      where: { makerAccountId: this.accountId, tradeId },
    });
    const asTaker = await this.manager.find(TradeEntity, {
      where: { takerAccountId: this.accountId, tradeId },
    });
    const byId = new Map([...asMaker, ...asTaker].map((trade) => [trade.tradeId, trade]));
    return [...byId.values()]
      .sort((a, b) => a.tradeId - b.tradeId)
      .map((trade) => ({ ...trade, executedAtMs: trade.executedAt.getTime() }));
  }
}
