import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { CalendarDate } from '../../../domain/banking/bank-calendar.js';
import type { PayoutStatus } from '../../../domain/banking/payout-states.js';
import type { Amount } from '../../../domain/money/amount.js';
import { units } from '../../../kit/database/columns.js';

/** The command about a payout that the core must still get. */
export type PayoutDueCommand =
  /** Put amount and fee aside. */
  | 'hold'
  /** Pay the amount to the rail and the fee to the house. */
  | 'pay'
  /** Give back what was put aside. */
  | 'release'
  /** Give back what the rail had been paid. */
  | 'reverse';

/** The code of a payout that counts as paid because nothing has come back. */
export const NOT_RETURNED = 'not_returned';

/** Money on its way to a bank account. */
@Entity('payouts')
@Check('payouts_amount_check', 'amount > 0')
@Check(
  'payouts_status_check',
  `status IN ('pending_approval', 'pending', 'processing', 'in_transit', 'paid', 'failed', 'returned', 'cancelled')`,
)
@Check('payouts_due_command_check', `due_command IN ('hold', 'pay', 'release', 'reverse')`)
@Index('payouts_owner', ['owner', 'payoutId'], { where: 'accepted_at IS NOT NULL' })
@Index('payouts_owner_created', ['owner', 'createdAt', 'payoutId'], { where: 'accepted_at IS NOT NULL' })
@Index('payouts_created', ['createdAt', 'payoutId'], { where: 'accepted_at IS NOT NULL' })
@Index('payouts_status_created', ['status', 'createdAt', 'payoutId'], { where: 'accepted_at IS NOT NULL' })
@Index('payouts_limits', ['owner', 'currency', 'createdAt'])
@Index('payouts_status', ['status', 'payoutId'], { where: 'accepted_at IS NOT NULL' })
@Index('payouts_due', ['payoutId'], { where: 'due_command IS NOT NULL' })
@Index('payouts_in_transit', ['rail', 'paidAfter'], { where: `status = 'in_transit'` })
@Index('payouts_account', ['payoutAccountId'], { where: `status IN ('pending_approval', 'pending')` })
@Index('payouts_file', ['fileId'])
@Index('payouts_bank_reference', ['rail', 'bankReference'])
@Index('payouts_request', ['requestHash'], { unique: true, where: 'request_hash IS NOT NULL' })
export class PayoutEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'payout_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'payouts_pkey',
  })
  readonly payoutId: string;

  @Column({ name: 'owner', type: 'text' })
  owner: string;

  /** The account of the core that the money leaves. */
  @Column({ name: 'account_id', type: 'bigint' })
  accountId: string;

  @Column({ name: 'payout_account_id', type: 'bigint' })
  payoutAccountId: string;

  @Column({ name: 'rail', type: 'text' })
  rail: string;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'requested_amount', type: 'numeric', precision: 38, scale: 0, transformer: units })
  requestedAmount: Amount;

  /** What arrives. In older rows it is less than was requested, by what is below a cent. */
  @Column({ name: 'amount', type: 'numeric', precision: 38, scale: 0, transformer: units })
  amount: Amount;

  /** Taken from the account in addition. */
  @Column({ name: 'fee', type: 'numeric', precision: 38, scale: 0, transformer: units })
  fee: Amount;

  @Column({ name: 'reference', type: 'text', nullable: true })
  reference: string | null;

  @Column({ name: 'status', type: 'text' })
  status: PayoutStatus;

  /** Why it is where it is: the bank's code, or one of the service's own. */
  @Column({ name: 'code', type: 'text', nullable: true })
  code: string | null;

  @Column({ name: 'message', type: 'text', nullable: true })
  message: string | null;

  @Column({ name: 'due_command', type: 'text', nullable: true })
  dueCommand: PayoutDueCommand | null;

  /** The person, see `personOf`. */
  @Column({ name: 'requested_by', type: 'text' })
  requestedBy: string;

  /** A digest of who sent which `Idempotency-Key`; null without one, and a day later. */
  @Column({ name: 'request_hash', type: 'text', nullable: true })
  requestHash: string | null;

  /** A digest of the request. */
  @Column({ name: 'fingerprint', type: 'text' })
  fingerprint: string;

  @Column({ name: 'file_id', type: 'bigint', nullable: true })
  fileId: string | null;

  /** What the bank's reports call it. */
  @Column({ name: 'bank_reference', type: 'text', nullable: true })
  bankReference: string | null;

  /** On this day it counts as paid if nothing has come back; set once it is in transit. */
  @Column({ name: 'paid_after', type: 'date', nullable: true })
  paidAfter: CalendarDate | null;

  /** When the core held its money; the payout is invisible before. */
  @Column({ name: 'accepted_at', type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
