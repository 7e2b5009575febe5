import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Amount } from '../../../domain/money/amount.js';
import { units } from '../../../kit/database/columns.js';

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
@Check(
  'wallet_transfers_status_check',
  `status IN ('pending_approval', 'pending', 'broadcasting', 'confirming', 'completed', 'failed', 'rejected', 'cancelled')`,
)
@Check('wallet_transfers_due_command_check', `due_command IN ('move', 'credit', 'hold', 'pay', 'release')`)
@Check('wallet_transfers_amount_check', 'amount > 0')
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
export class WalletTransferEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'transfer_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'wallet_transfers_pkey',
  })
  readonly transferId: string;

  @Column({ name: 'status', type: 'text' })
  status: TransferStatus;

  @Column({ name: 'due_command', type: 'text', nullable: true })
  dueCommand: DueCommand | null;

  /** Null for transfers inside. */
  @Column({ name: 'chain', type: 'text', nullable: true })
  chain: string | null;

  @Column({ name: 'asset', type: 'text' })
  asset: string;

  @Column({ name: 'amount', type: 'numeric', precision: 38, scale: 0, transformer: units })
  amount: Amount;

  /** The chain's own asset; inside, where there is no fee, the transfer's. */
  @Column({ name: 'fee_asset', type: 'text' })
  feeAsset: string;

  /** What the chain takes at most, until it is known what it took. */
  @Column({ name: 'fee', type: 'numeric', precision: 38, scale: 0, transformer: units })
  fee: Amount;

  /** What was put aside for the fee. */
  @Column({ name: 'fee_held', type: 'numeric', precision: 38, scale: 0, transformer: units })
  feeHeld: Amount;

  @Column({ name: 'source_type', type: 'text' })
  sourceType: EndpointType;

  @Column({ name: 'source_account_id', type: 'bigint', nullable: true })
  sourceAccountId: string | null;

  @Column({ name: 'source_wallet_id', type: 'bigint', nullable: true })
  sourceWalletId: string | null;

  @Column({ name: 'source_address', type: 'text', nullable: true })
  sourceAddress: string | null;

  @Column({ name: 'destination_type', type: 'text' })
  destinationType: EndpointType;

  @Column({ name: 'destination_account_id', type: 'bigint', nullable: true })
  destinationAccountId: string | null;

  @Column({ name: 'destination_wallet_id', type: 'bigint', nullable: true })
  destinationWalletId: string | null;

  /** Where the money goes outside, or at which address of the wallet it arrived. */
  @Column({ name: 'destination_address', type: 'text', nullable: true })
  destinationAddress: string | null;

  @Column({ name: 'tx_hash', type: 'text', nullable: true })
  txHash: string | null;

  @Column({ name: 'confirmations', type: 'integer', nullable: true })
  confirmations: number | null;

  /** Unique in the account that the money leaves, for good. */
  @Column({ name: 'client_transfer_id', type: 'text', nullable: true })
  clientTransferId: string | null;

  /** A digest of who sent which `Idempotency-Key`; null without one, and a day later. */
  @Column({ name: 'request_hash', type: 'text', nullable: true })
  requestHash: string | null;

  /** A digest of what was asked for, to tell a repeat from another transfer under the same id. */
  @Column({ name: 'fingerprint', type: 'text', nullable: true })
  fingerprint: string | null;

  /** Chain, transaction and place in it of a deposit: what makes it one. */
  @Column({ name: 'deposit_key', type: 'text', nullable: true })
  depositKey: string | null;

  /** The person, see `personOf`; null for deposits. */
  @Column({ name: 'requested_by', type: 'text', nullable: true })
  requestedBy: string | null;

  /** Why it failed (a code) or was rejected (the operator's words). */
  @Column({ name: 'reason', type: 'text', nullable: true })
  reason: string | null;

  /** When the core had moved or put aside its money; until then nobody has been told of the transfer. */
  @Column({ name: 'accepted_at', type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
