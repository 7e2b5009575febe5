import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In } from 'typeorm';
import { StateAnnouncer, type StateRow } from '../../../kit/webhooks/state-announcer.js';
import type { WebhookEvent } from '../../../kit/webhooks/webhook-event-type.js';
import { Webhooks } from '../../../kit/webhooks/webhooks.js';
import { TRANSFER_EVENTS } from './transfer-events.js';
import { toTransferDto, type TransferDto } from './transfer.dto.js';
import { type TransferStatus, WalletTransferEntity } from './wallet-transfer.entity.js';

interface TransferStateRow extends StateRow {
  readonly transferId: string;
  readonly status: TransferStatus;
  readonly reason: string | null;
  readonly changedAt: Date;
  /** Null where the money comes from outside. */
  readonly sourceOwner: string | null;
  /** Null where it goes outside. */
  readonly destinationOwner: string | null;
}

/** Publishes each status of a transfer to webhooks, once its money has moved accordingly. */
@Injectable()
export class TransferAnnouncer extends StateAnnouncer<TransferStateRow> {
  constructor(@InjectDataSource() dataSource: DataSource, webhooks: Webhooks) {
    super('wallet_transfer_states', dataSource, webhooks);
  }

  protected take(manager: EntityManager, limit: number): Promise<TransferStateRow[]> {
    return manager.query<TransferStateRow[]>(
      `SELECT state.state_id AS "stateId", state.transfer_id AS "transferId", state.status, state.reason,
         state.changed_at AS "changedAt", source.owner AS "sourceOwner", destination.owner AS "destinationOwner"
       FROM wallet_transfer_states state
       JOIN wallet_transfers transfer ON transfer.transfer_id = state.transfer_id
       LEFT JOIN accounts source ON source.account_id = transfer.source_account_id
       LEFT JOIN accounts destination ON destination.account_id = transfer.destination_account_id
       WHERE NOT state.is_announced AND transfer.accepted_at IS NOT NULL AND transfer.due_command IS NULL
       ORDER BY state.state_id LIMIT $1 FOR UPDATE OF state SKIP LOCKED`,
      [limit],
    );
  }

  protected async eventsOf(
    manager: EntityManager,
    states: readonly TransferStateRow[],
  ): Promise<WebhookEvent[]> {
    const ids = states.map(({ transferId }) => transferId);
    const transfers = await manager.findBy(WalletTransferEntity, { transferId: In(ids) });
    const byId = new Map(transfers.map((transfer) => [transfer.transferId, transfer]));
    return states.flatMap((state) => eventsOfState(state, byId.get(state.transferId)!));
  }
}

/** Each of the two ends sees a transfer as it does when it reads it; who receives, not before it has arrived. */
function eventsOfState(state: TransferStateRow, transfer: WalletTransferEntity): WebhookEvent[] {
  const { status, changedAt, sourceOwner, destinationOwner } = state;
  const { sourceWalletId, destinationWalletId } = transfer;
  const event = (accountOwner: string, walletId: string | null): WebhookEvent => ({
    type: TRANSFER_EVENTS[status],
    audience: { accountOwner },
    at: changedAt,
    data: asOf(state, toTransferDto(transfer, walletId)),
  });
  const isArrival = status === 'completed' && destinationWalletId !== null;
  return [
    ...(sourceOwner === null ? [] : [event(sourceOwner, sourceWalletId)]),
    ...(isArrival && destinationOwner !== null ? [event(destinationOwner, destinationWalletId)] : []),
  ];
}

/** The transfer as it stood in a state, from which it may have gone on since. */
function asOf({ status, reason, changedAt }: TransferStateRow, transfer: TransferDto): TransferDto {
  if (transfer.status === status) return transfer;
  return { ...transfer, status, reason, updated_at: changedAt.toISOString() };
}
