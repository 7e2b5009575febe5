import { Check, Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import { KeyedRows, type KeyedRow } from '../../../kit/http/idempotency/keyed-rows.js';
import type { CalendarDate } from '../../../domain/banking/bank-calendar.js';
import type { PayoutStatus } from '../../../domain/banking/payout-states.js';
import type { Amount } from '../../../domain/money/amount.js';

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
@Check('amount > 0')
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
export class PayoutEntity implements KeyedRow {
  @key.identity() readonly payoutId: string;
  @column.text() owner: string;
  /** The account of the core that the money leaves. */
  @column.bigint() accountId: string;
  @column.bigint() payoutAccountId: string;
  @column.text() rail: string;
  @column.text() currency: string;
  @column.amount() requestedAmount: Amount;
  /** What arrives. In older rows it is less than was requested, by what is below a cent. */
  @column.amount() amount: Amount;
  /** Taken from the account in addition. */
  @column.amount() fee: Amount;
  @column.text({ nullable: true }) reference: string | null;
  @column.text({
    oneOf: [
      'pending_approval',
      'pending',
      'processing',
      'in_transit',
      'paid',
      'failed',
      'returned',
      'cancelled',
    ],
  })
  status: PayoutStatus;
  /** Why it is where it is: the bank's code, or one of the service's own. */
  @column.text({ nullable: true }) code: string | null;
  @column.text({ nullable: true }) message: string | null;
  @column.text({ nullable: true, oneOf: ['hold', 'pay', 'release', 'reverse'] })
  dueCommand: PayoutDueCommand | null;
  /** The person, see `personOf`. */
  @column.text() requestedBy: string;
  /** See `KeyedRow`. */
  @column.text({ nullable: true }) requestHash: string | null;
  /** A digest of the request. */
  @column.text() fingerprint: string;
  @column.bigint({ nullable: true }) fileId: string | null;
  /** What the bank's reports call it. */
  @column.text({ nullable: true }) bankReference: string | null;
  /** On this day it counts as paid if nothing has come back; set once it is in transit. */
  @column.date({ nullable: true }) paidAfter: CalendarDate | null;
  /** When the core held its money; the payout is invisible before. */
  @column.msTime({ nullable: true }) acceptedAt: Date | null;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  @column.msTime({ default: NOW }) updatedAt: Date;
}

/** Payouts by the `Idempotency-Key` of their request. */
export const KEYED_PAYOUTS = new KeyedRows(PayoutEntity, {
  table: 'payouts',
  key: 'payout_id',
  madeAt: 'created_at',
  fingerprintOf: ({ fingerprint }) => fingerprint,
});
