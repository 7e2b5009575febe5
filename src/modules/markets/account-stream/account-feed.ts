import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { BalanceView, CommittedBatch } from '../../../core/core.types.js';
import type { OrderSnapshot, Trade } from '../../../domain/engine/types.js';
import { CommitContinuity } from '../market-data/commit-continuity.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { updateEvent } from './account-event.js';
import { AccountFollower, type AccountReceiver } from './account-follower.js';
import { AccountReader } from './account-reader.js';

/** What one commit did to one account that somebody follows. */
class FollowedChange {
  readonly orders: OrderSnapshot[] = [];
  readonly trades: Trade[] = [];
  readonly balances: BalanceView[] = [];
}

/** Turns commits into the events of accounts, for those that somebody follows: one commit, one event. */
@Injectable()
export class AccountFeed implements OnModuleInit, OnModuleDestroy {
  private readonly followers = new Map<number, Set<AccountFollower>>();
  private readonly continuity = new CommitContinuity();
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly core: CoreService,
    private readonly catalog: MarketCatalogService,
    private readonly reader: AccountReader,
  ) {}

  onModuleInit(): void {
    this.unsubscribe = this.core.onCommitted(
      (batch) => this.tell(batch),
      (accountId) => this.followers.has(accountId),
    );
  }

  onModuleDestroy(): void {
    this.unsubscribe();
  }

  /** A new follower, which is told nothing until it is brought up to date. It ends with `unfollow`. */
  follow(accountId: number, offset: number | undefined, receiver: AccountReceiver): AccountFollower {
    const follower = new AccountFollower(accountId, offset, this.reader, receiver);
    const ofAccount = this.followers.get(accountId);
    if (ofAccount === undefined) this.followers.set(accountId, new Set([follower]));
    else ofAccount.add(follower);
    return follower;
  }

  unfollow(follower: AccountFollower): void {
    follower.end();
    const ofAccount = this.followers.get(follower.accountId);
    ofAccount?.delete(follower);
    if (ofAccount?.size === 0) this.followers.delete(follower.accountId);
  }

  private tell(batch: CommittedBatch): void {
    if (this.continuity.missedBefore(batch)) {
      this.readAllAgain();
      return;
    }
    if (this.followers.size === 0) return;
    for (const [accountId, change] of this.followedChangesIn(batch)) {
      if (change.orders.length === 0 && change.balances.length === 0) {
        // Followed only since the batch was made, so it says nothing of the account.
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
      for (const follower of this.followers.get(accountId)!) follower.take(event);
    }
  }

  private followedChangesIn(batch: CommittedBatch): ReadonlyMap<number, FollowedChange> {
    const changes = new Map<number, FollowedChange>();
    for (const accountId of batch.accountSequences.keys()) {
      if (this.followers.has(accountId)) changes.set(accountId, new FollowedChange());
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
    for (const accountId of this.followers.keys()) this.readAgain(accountId);
  }

  private readAgain(accountId: number): void {
    for (const follower of this.followers.get(accountId)!) follower.readAgain();
  }
}
