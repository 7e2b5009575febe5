import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Between, DataSource, type EntityManager, In } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { NOBODY } from '../../../core/view/commit-listeners.js';
import { Backlog } from '../../../core/followers/backlog.js';
import { Followers } from '../../../core/followers/followers.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import type { WebhookEvent } from '../../../kit/webhooks/webhook-event-type.js';
import { Webhooks } from '../../../kit/webhooks/webhooks.js';
import { CommitGaps } from '../market-data/commit-gaps.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { TradeEntity } from '../market-data/trade.entity.js';
import { toFillDto } from '../orders/fill.dto.js';
import { OrderFieldsService } from '../orders/order-fields.service.js';
import { toOrderDto } from '../orders/order.dto.js';
import { OrderEntity } from '../orders/order.entity.js';
import { FILL_CREATED, ORDER_EVENT_TYPES, orderEventOf } from './order-events.js';

/** The interval at which new listeners are noticed and failures retried. */
const LOOK_EVERY_MS = 1_000;
/** Changes in this time are published together. */
const GATHERED_FOR_MS = 50;
/** How many commits of an account one step tells of. */
const STEP_CHANGES = 500;

/** In `journal_cursors`, before the id of the account. */
const CURSOR = 'webhooks:';

/**
 * Starts an account's cursor at the time its listener was added. Both searches begin at the newest row and are short,
 * since listeners are noticed within a second or so.
 */
const START_CURSORS = `
  INSERT INTO journal_cursors (name, sequence)
  SELECT '${CURSOR}' || account_id, coalesce((
    SELECT sequence FROM account_changes change
    WHERE change.account_id = listener.account_id AND change.ledger_sequence <= (
      SELECT last_sequence FROM journal_commits WHERE committed_at <= listener.since ORDER BY last_sequence DESC LIMIT 1
    )
    ORDER BY sequence DESC LIMIT 1
  ), 0)
  FROM unnest($1::bigint[], $2::timestamptz[]) AS listener (account_id, since)
  ON CONFLICT DO NOTHING`;

/** What a cursor's account has unannounced; where the cursor stands itself, with its place in the ledger, comes first. */
const UNTOLD = `
  SELECT change.sequence, change.ledger_sequence, change.order_ids
  FROM account_changes change
  WHERE change.account_id = $1 AND change.sequence >= $2
  ORDER BY change.sequence LIMIT ${STEP_CHANGES + 1}`;

interface ListenedAccount {
  readonly accountId: string;
  readonly owner: string;
  readonly since: Date;
}

interface ChangeRow {
  readonly sequence: string;
  readonly ledger_sequence: string;
  readonly order_ids: string;
}

/** What commits have done to an account: everything between two places of the ledger sequence. */
interface Unannounced {
  readonly accountId: number;
  readonly after: number;
  readonly upTo: number;
  readonly orderIds: readonly number[];
}

/** As a follower of commits. */
const NAME = 'webhook events';

/**
 * Publishes orders and fills to webhooks, off the order path. A durable cursor for each account follows its changes, so
 * nothing is missed; accounts without webhooks cost nothing.
 */
@Injectable()
export class OrderAnnouncer implements OnModuleInit, OnModuleDestroy {
  readonly duty = new BackgroundLoop(
    { name: 'OrderAnnouncer', everyMs: LOOK_EVERY_MS, gatherMs: GATHERED_FOR_MS },
    () => this.announceDue(),
  );
  private unsubscribe: () => void = () => undefined;
  /** The owners of the accounts that webhooks ask for, by account; undefined until it was looked. */
  private followed: ReadonlyMap<number, string> | undefined;
  /** Accounts of which something may be unannounced. */
  private readonly due = new Set<number>();
  private readonly backlog = new Backlog(NAME);
  private readonly gaps = new CommitGaps();
  private lookedAtMs = -Infinity;

  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly webhooks: Webhooks,
    private readonly fields: OrderFieldsService,
    @InjectDataSource() private readonly dataSource: DataSource,
    followers: Followers,
  ) {
    followers.add({
      name: NAME,
      lagMs: () => (this.duty.hasEnded ? 0 : this.backlog.lagMs),
      // Anybody may have webhooks, and may not slow down what others trade with them.
      holdsWriter: false,
    });
  }

  onModuleInit(): void {
    this.unsubscribe = this.core.onCommitted((batch) => this.notice(batch), NOBODY);
  }

  onModuleDestroy(): void {
    this.unsubscribe();
  }

  private notice(batch: CommittedBatch): void {
    const isMissing = this.gaps.missedBefore(batch);
    const { followed } = this;
    if (followed === undefined || followed.size === 0) return;
    const dueBefore = this.due.size;
    const changed = isMissing ? followed.keys() : batch.accountSequences.keys();
    for (const accountId of changed) if (followed.has(accountId)) this.due.add(accountId);
    if (this.due.size === dueBefore) return;
    this.backlog.add(batch.trace);
    this.duty.request();
  }

  private async announceDue(): Promise<boolean> {
    if (performance.now() - this.lookedAtMs >= LOOK_EVERY_MS) await this.look();
    // Taken out before the tables are waited for: what is committed from now on makes its account due again.
    const unannounced = new Set(this.due);
    this.due.clear();
    try {
      await this.backlog.step(async () => {
        if (unannounced.size > 0) await this.core.projected();
        for (const accountId of unannounced) if (!(await this.step(accountId))) unannounced.delete(accountId);
        return unannounced.size === 0;
      });
    } finally {
      for (const accountId of unannounced) this.due.add(accountId);
    }
    return this.due.size > 0;
  }

  /** Finds out who listens. */
  private async look(): Promise<void> {
    const followed = await this.dataSource.transaction(async (manager) => {
      const accounts = await this.accountsListenedTo(manager);
      const isAsBefore =
        accounts.length === this.followed?.size &&
        accounts.every(({ accountId }) => this.followed?.has(Number(accountId)));
      if (!isAsBefore) await setCursors(manager, accounts);
      return new Map(accounts.map(({ accountId, owner }) => [Number(accountId), owner]));
    });
    for (const accountId of followed.keys()) if (!this.followed?.has(accountId)) this.due.add(accountId);
    for (const accountId of this.due) if (!followed.has(accountId)) this.due.delete(accountId);
    this.followed = followed;
    this.lookedAtMs = performance.now();
  }

  private async accountsListenedTo(manager: EntityManager): Promise<readonly ListenedAccount[]> {
    const listeners = await this.webhooks.listenersOf(manager, ORDER_EVENT_TYPES);
    if (listeners.length === 0) return [];
    return manager.query<ListenedAccount[]>(
      `SELECT account.account_id AS "accountId", account.owner, min(listener.since) AS since
       FROM unnest($1::text[], $2::timestamptz[]) AS listener (owner, since)
       JOIN accounts account ON account.owner = listener.owner AND account.kind = 'trading'
       GROUP BY account.account_id`,
      [listeners.map(({ accountOwner }) => accountOwner), listeners.map(({ since }) => since)],
    );
  }

  /** Publishes the unannounced changes of an account, and returns whether more are left. */
  private step(accountId: number): Promise<boolean> {
    const owner = this.followed?.get(accountId);
    if (owner === undefined) return Promise.resolve(false);
    // In one snapshot, so that orders are read as the last of these commits left them.
    return this.dataSource.transaction('REPEATABLE READ', async (manager) => {
      const cursor = CURSOR + String(accountId);
      const [at] = await manager.query<{ sequence: string }[]>(
        'SELECT sequence FROM journal_cursors WHERE name = $1 FOR UPDATE',
        [cursor],
      );
      if (at === undefined) return false;
      const rows = await manager.query<ChangeRow[]>(UNTOLD, [accountId, at.sequence]);
      // Before an account's first change the cursor has no row to refer to.
      const isFirst = rows[0]?.sequence !== at.sequence;
      const changes = isFirst ? rows : rows.slice(1);
      const last = changes.at(-1);
      if (last === undefined) return false;
      await this.announce(manager, owner, {
        accountId,
        after: isFirst ? await beginningOf(manager, changes[0]!) : Number(rows[0]!.ledger_sequence),
        upTo: Number(last.ledger_sequence),
        orderIds: orderIdsIn(changes),
      });
      await manager.query('UPDATE journal_cursors SET sequence = $2 WHERE name = $1', [
        cursor,
        last.sequence,
      ]);
      return rows.length > STEP_CHANGES;
    });
  }

  private async announce(manager: EntityManager, owner: string, unannounced: Unannounced): Promise<void> {
    const events = [
      ...(await this.fillsOf(manager, unannounced)),
      ...(await this.ordersOf(manager, unannounced)),
    ];
    const audience = { accountOwner: owner };
    await this.webhooks.publish(manager, ...events.map((event) => ({ ...event, audience })));
  }

  private async fillsOf(
    manager: EntityManager,
    { accountId, after, upTo }: Unannounced,
  ): Promise<Omit<WebhookEvent, 'audience'>[]> {
    const tradeId = Between(after + 1, upTo);
    const trades = await manager.find(TradeEntity, {
      where: [
        { makerAccountId: accountId, tradeId },
        { takerAccountId: accountId, tradeId },
      ],
      order: { tradeId: 'ASC' },
    });
    return trades.map((trade) => {
      const isTaker = trade.takerAccountId === accountId;
      const orderId = isTaker ? trade.takerOrderId : trade.makerOrderId;
      const { definition } = this.catalog.view(trade.marketId);
      const executedAtMs = trade.executedAt.getTime();
      const data = toFillDto({ ...trade, executedAtMs }, orderId, definition);
      return { type: FILL_CREATED, data, at: trade.executedAt, key: `${FILL_CREATED.name}:${data.fill_id}` };
    });
  }

  private async ordersOf(
    manager: EntityManager,
    { accountId, after, orderIds }: Unannounced,
  ): Promise<Omit<WebhookEvent, 'audience'>[]> {
    const orders = await manager.find(OrderEntity, {
      where: { accountId, orderId: In([...orderIds]) },
      order: { orderId: 'ASC' },
    });
    return (await this.fields.snapshots(orders, manager)).map((order) => {
      const type = orderEventOf(order.status, order.orderId > after);
      const { definition } = this.catalog.view(order.marketId);
      const data = toOrderDto(order, unitsOf(definition), this.catalog.fields);
      // An order that changed between two steps is in both, and published once.
      const key = `${type.name}:${data.order_id}:${data.sequence}`;
      return { type, data, at: new Date(order.updatedAtMs), key };
    });
  }
}

function orderIdsIn(changes: readonly ChangeRow[]): number[] {
  const ids = changes.flatMap(({ order_ids }) => (order_ids === '' ? [] : order_ids.split(' ')));
  return [...new Set(ids)].map(Number);
}

/** Starts cursors of newly followed accounts, and deletes the others. */
async function setCursors(manager: EntityManager, accounts: readonly ListenedAccount[]): Promise<void> {
  const ids = accounts.map(({ accountId }) => accountId);
  await manager.query(START_CURSORS, [ids, accounts.map(({ since }) => since)]);
  await manager.query(
    `DELETE FROM journal_cursors WHERE name LIKE '${CURSOR}%' AND name <> ALL ($1::text[])`,
    [ids.map((id) => CURSOR + id)],
  );
}

/** The place in the ledger before a commit. */
async function beginningOf(manager: EntityManager, { ledger_sequence }: ChangeRow): Promise<number> {
  const [commit] = await manager.query<{ first_sequence: string }[]>(
    'SELECT first_sequence FROM journal_commits WHERE last_sequence = $1',
    [ledger_sequence],
  );
  return Number(commit!.first_sequence) - 1;
}
