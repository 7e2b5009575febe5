import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { LifecycleAnnouncer, type ReachedState } from '../../../core/outbox/lifecycle-announcer.js';
import type { WebhookEvent } from '../../../kit/webhooks/webhook-event-type.js';
import { Webhooks } from '../../../kit/webhooks/webhooks.js';
import { TRANSFER_EVENTS } from './transfer-events.js';
import { TRANSFER_TERMS } from './transfer-lifecycle.service.js';
import { toTransferDto } from './transfer.dto.js';
import type { TransferStatus, WalletTransferEntity } from './wallet-transfer.entity.js';

type TransferState = ReachedState<WalletTransferEntity, TransferStatus>;

/** Publishes each status of a transfer to webhooks, once its money has moved accordingly. */
@Injectable()
export class TransferAnnouncer extends LifecycleAnnouncer<WalletTransferEntity, TransferStatus> {
  constructor(@InjectDataSource() dataSource: DataSource, webhooks: Webhooks) {
    super(TRANSFER_TERMS, dataSource, webhooks);
  }

  protected async eventsFor(
    manager: EntityManager,
    states: readonly TransferState[],
  ): Promise<WebhookEvent[]> {
    const accounts = await manager.query<{ account_id: string; owner: string | null }[]>(
      'SELECT account_id, owner FROM accounts WHERE account_id = ANY ($1::bigint[])',
      [states.flatMap(({ row }) => [row.sourceAccountId, row.destinationAccountId])],
    );
    const owners = new Map(accounts.map(({ account_id, owner }) => [account_id, owner]));
    return states.flatMap((state) => this.eventsOfState(state, owners));
  }

  /** Each of the two ends sees a transfer as it does when it reads it; who receives, not before it has arrived. */
  private eventsOfState(
    state: TransferState,
    owners: ReadonlyMap<string | null, string | null>,
  ): WebhookEvent[] {
    const { status, changedAt, row } = state;
    const { sourceAccountId, sourceWalletId, destinationAccountId, destinationWalletId } = row;
    const eventTo = (accountId: string | null, walletId: string | null): WebhookEvent[] => {
      // Nobody's: the house's own account, or an address outside.
      const accountOwner = owners.get(accountId) ?? null;
      if (accountOwner === null) return [];
      const data = this.asOf(state, toTransferDto(row, walletId));
      return [{ type: TRANSFER_EVENTS[status], audience: { accountOwner }, at: changedAt, data }];
    };
    const isArrival = status === 'completed' && destinationWalletId !== null;
    return [
      ...eventTo(sourceAccountId, sourceWalletId),
      ...(isArrival ? eventTo(destinationAccountId, destinationWalletId) : []),
    ];
  }
}
