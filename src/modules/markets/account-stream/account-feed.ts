import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { BalanceView, CommittedBatch } from '../../../core/core.types.js';
import type { OrderSnapshot, Trade } from '../../../domain/engine/types.js';
import type { Connection } from '../../../kit/realtime/connection.js';
import { encodeEvent } from '../../../kit/realtime/encoded-event.js';
import type { Principal } from '../../../kit/security/principal.js';
import { AccountWatch } from '../../accounts/access/account-watch.js';
import { CommitGaps } from '../market-data/commit-gaps.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { updateEvent } from './account-event.js';
import { AccountReader } from './account-reader.js';
import { AccountSubscription } from './account-subscription.js';

/** What one commit did to one account that has subscriptions. */
class AccountChange {
  readonly orders: OrderSnapshot[] = [];
  readonly trades: Trade[] = [];
  readonly balances: BalanceView[] = [];
}

/** Turns commits into the events of accounts that have subscriptions: one commit, one event. */
@Injectable()
export class AccountFeed implements OnModuleInit, OnModuleDestroy {
  private readonly subscriptions = new Map<number, Set<AccountSubscription>>();
  private readonly gaps = new CommitGaps();
  private stopListening: () => void = () => undefined;

  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly reader: AccountReader,
    private readonly watch: AccountWatch,
  ) {}

  onModuleInit(): void {
    this.stopListening = this.core.onCommitted(
      (batch) => this.onCommitted(batch),
      (accountId) => this.subscriptions.has(accountId),
    );
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /** A new subscription, which gets nothing until it is brought up to date. It ends with the principal's role. */
  subscribe(
    principal: Principal,
    accountId: number,
    offset: number | undefined,
    connection: Connection,
  ): AccountSubscription {
    const subscription = new AccountSubscription(accountId, offset, this.reader, connection, () => {
      stopWatching();
      this.forget(subscription);
    });
    const stopWatching = this.watch.watch(principal, accountId, 'read', (reason) => subscription.end(reason));
    const ofAccount = this.subscriptions.get(accountId);
    if (ofAccount === undefined) this.subscriptions.set(accountId, new Set([subscription]));
    else ofAccount.add(subscription);
    connection.carry(subscription);
    return subscription;
  }

  private forget(subscription: AccountSubscription): void {
    const ofAccount = this.subscriptions.get(subscription.accountId);
    ofAccount?.delete(subscription);
    if (ofAccount?.size === 0) this.subscriptions.delete(subscription.accountId);
  }

  private onCommitted(batch: CommittedBatch): void {
    if (this.gaps.missedBefore(batch)) {
      this.readAllAgain();
      return;
    }
    if (this.subscriptions.size === 0) return;
    for (const [accountId, change] of this.changesIn(batch)) {
      if (change.orders.length === 0 && change.balances.length === 0) {
        // Subscribed after the batch was made, so the batch has no data of this account.
        this.readAgain(accountId);
        continue;
      }
      const sequence = batch.accountSequences.get(accountId)!;
      const event = updateEvent(
        accountId,
        { previous: sequence - 1, sequence },
        change,
        batch.timeMs,
        this.catalog,
      );
      const encoded = encodeEvent(event);
      for (const subscription of this.subscriptions.get(accountId)!) subscription.take(encoded);
    }
  }

  private changesIn(batch: CommittedBatch): ReadonlyMap<number, AccountChange> {
    const changes = new Map<number, AccountChange>();
    for (const accountId of batch.accountSequences.keys()) {
      if (this.subscriptions.has(accountId)) changes.set(accountId, new AccountChange());
    }
    if (changes.size === 0) return changes;
    for (const order of batch.orders) changes.get(order.accountId)?.orders.push(order);
    for (const balance of batch.balances) changes.get(balance.accountId)?.balances.push(balance);
    for (const trade of batch.trades) {
      changes.get(trade.makerAccountId)?.trades.push(trade);
      if (trade.takerAccountId !== trade.makerAccountId)
        changes.get(trade.takerAccountId)?.trades.push(trade);
    }
    return changes;
  }

  private readAllAgain(): void {
    for (const accountId of this.subscriptions.keys()) this.readAgain(accountId);
  }

  private readAgain(accountId: number): void {
    for (const subscription of this.subscriptions.get(accountId)!) subscription.readAgain();
  }
}
