import { Check, Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import { KeyedRows, type KeyedRow } from '../../../kit/http/idempotency/keyed-rows.js';
import type { Amount } from '../../../domain/money/amount.js';

/** In the order in which a transfer goes through them; the last four are ends. */
export const TRANSFER_STATUSES = [
  'pending_approval',
  'pending',
  'broadcasting',
  'confirming',
  'completed',
  'failed',
  'rejected',
  'cancelled',
] as const;

export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** The states of transfers that have not ended. */
export const OPEN_STATUSES = [
  'pending_approval',
  'pending',
  'broadcasting',
  'confirming',
] as const satisfies readonly TransferStatus[];

/** What the core must still be told about a transfer. */
export type DueCommand =
  /** Inside: move the money. */
  | 'move'
  /** Put what has arrived on a chain into the wallet. */
  | 'credit'
  /** Put the amount and the fee aside. */
  | 'hold'
  /** Pay the chain what was put aside, and release what the fee was less. */
  | 'pay'
  /** Give back what was put aside, less a fee that was spent all the same. */
  | 'release';

export type EndpointType = 'account' | 'wallet' | 'address';

/**
 * A transfer, whichever of its ends somebody looks from. An end inside has the account of the core that the
 * money leaves or reaches, and the wallet where it is one; an end outside has an address.
 */
@Entity('wallet_transfers')
@Check('amount > 0')
@Index('wallet_transfers_out', ['sourceWalletId', 'createdAt', 'transferId'], {
  where: 'accepted_at IS NOT NULL',
})
@Index('wallet_transfers_in', ['destinationWalletId', 'createdAt', 'transferId'], {
  where: `accepted_at IS NOT NULL AND status = 'completed'`,
})
@Index('wallet_transfers_account_out', ['sourceAccountId', 'createdAt', 'transferId'], {
  where: `accepted_at IS NOT NULL AND source_type = 'account'`,
})
@Index('wallet_transfers_account_in', ['destinationAccountId', 'createdAt', 'transferId'], {
  where: `accepted_at IS NOT NULL AND status = 'completed' AND destination_type = 'account'`,
})
@Index('wallet_transfers_time', ['createdAt', 'transferId'], { where: 'accepted_at IS NOT NULL' })
@Index('wallet_transfers_due', ['transferId'], { where: 'due_command IS NOT NULL' })
@Index('wallet_transfers_waiting', ['status', 'transferId'], {
  where: `status IN ('pending_approval', 'pending', 'broadcasting', 'confirming')`,
})
@Index('wallet_transfers_daily', ['sourceWalletId', 'asset', 'createdAt'], { where: 'chain IS NOT NULL' })
@Index('wallet_transfers_client_id', ['sourceAccountId', 'clientTransferId'], {
  unique: true,
  where: 'client_transfer_id IS NOT NULL',
})
@Index('wallet_transfers_request', ['requestHash'], { unique: true, where: 'request_hash IS NOT NULL' })
@Index('wallet_transfers_deposit', ['depositKey'], { unique: true, where: 'deposit_key IS NOT NULL' })
export class WalletTransferEntity implements KeyedRow {
  @key.identity() readonly transferId: string;
  @column.text({ oneOf: TRANSFER_STATUSES }) status: TransferStatus;
  @column.text({ nullable: true, oneOf: ['move', 'credit', 'hold', 'pay', 'release'] })
  dueCommand: DueCommand | null;
  /** Null for transfers inside. */
  @column.text({ nullable: true }) chain: string | null;
  @column.text() asset: string;
  @column.amount() amount: Amount;
  /** The chain's own asset; inside, where there is no fee, the transfer's. */
  @column.text() feeAsset: string;
  /** What the chain takes at most, until it is known what it took. */
  @column.amount() fee: Amount;
  /** What was put aside for the fee. */
  @column.amount() feeHeld: Amount;
  @column.text() sourceType: EndpointType;
  @column.bigint({ nullable: true }) sourceAccountId: string | null;
  @column.bigint({ nullable: true }) sourceWalletId: string | null;
  @column.text({ nullable: true }) sourceAddress: string | null;
  @column.text() destinationType: EndpointType;
  @column.bigint({ nullable: true }) destinationAccountId: string | null;
  @column.bigint({ nullable: true }) destinationWalletId: string | null;
  /** Where the money goes outside, or at which address of the wallet it arrived. */
  @column.text({ nullable: true }) destinationAddress: string | null;
  @column.text({ nullable: true }) txHash: string | null;
  @column.integer({ nullable: true }) confirmations: number | null;
  /** Unique in the account that the money leaves, for good. */
  @column.text({ nullable: true }) clientTransferId: string | null;
  /** See `KeyedRow`. */
  @column.text({ nullable: true }) requestHash: string | null;
  /** A digest of what was asked for, to tell a repeat from another transfer under the same id. */
  @column.text({ nullable: true }) fingerprint: string | null;
  /** Chain, transaction and place in it of a deposit: what makes it one. */
  @column.text({ nullable: true }) depositKey: string | null;
  /** The person, see `personOf`; null for deposits. */
  @column.text({ nullable: true }) requestedBy: string | null;
  /** Why it failed (a code) or was rejected (the operator's words). */
  @column.text({ nullable: true }) reason: string | null;
  /** When the core had moved or put aside its money; until then nobody has been told of the transfer. */
  @column.msTime({ nullable: true }) acceptedAt: Date | null;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  @column.msTime({ default: NOW }) updatedAt: Date;
}

/** Transfers by the `Idempotency-Key` of their request, which says also where the money comes from. */
export const KEYED_TRANSFERS = new KeyedRows(WalletTransferEntity, {
  table: 'wallet_transfers',
  key: 'transfer_id',
  madeAt: 'created_at',
  fingerprintOf: requestOf,
});

type RequestedTransfer = Pick<
  WalletTransferEntity,
  'fingerprint' | 'clientTransferId' | 'sourceAccountId' | 'sourceType'
>;

/** All that a repeated request must have in common with its transfer. */
export function requestOf(transfer: RequestedTransfer): string {
  const { fingerprint, clientTransferId, sourceAccountId, sourceType } = transfer;
  return JSON.stringify([fingerprint, clientTransferId, sourceAccountId, sourceType]);
}
