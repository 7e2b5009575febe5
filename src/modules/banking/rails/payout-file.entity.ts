import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn, Unique } from 'typeorm';
import type { CalendarDate } from '../../../domain/banking/bank-calendar.js';
import type { Amount } from '../../../domain/money/amount.js';
import { units } from '../../../kit/database/columns.js';

/** A file of payouts, as a bank takes it. It never changes; a rail's files are numbered without gaps. */
@Entity('payout_files')
@Unique('payout_files_number', ['rail', 'number'])
export class PayoutFileEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'file_id',
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'payout_files_pkey',
  })
  fileId: string;

  @Column({ name: 'rail', type: 'text' })
  rail: string;

  @Column({ name: 'number', type: 'bigint' })
  number: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'media_type', type: 'text' })
  mediaType: string;

  @Column({ name: 'currency', type: 'text' })
  currency: string;

  @Column({ name: 'payments', type: 'integer' })
  payments: number;

  @Column({ name: 'total', type: 'numeric', precision: 38, scale: 0, transformer: units })
  total: Amount;

  /** When the bank is asked to pay. */
  @Column({ name: 'settles_on', type: 'date' })
  settlesOn: CalendarDate;

  /** The day on which it was made, where the rail is. */
  @Column({ name: 'created_on', type: 'date' })
  createdOn: CalendarDate;

  /** Of the content, in hexadecimal. */
  @Column({ name: 'sha256', type: 'text' })
  sha256: string;

  @Column({ name: 'sealed_content', type: 'bytea', select: false })
  sealedContent: Buffer;

  /** The person (see `personOf`); null where the cut-off made it. */
  @Column({ name: 'created_by', type: 'text', nullable: true })
  createdBy: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  /** Who reported the delivery to the bank. */
  @Column({ name: 'delivered_by', type: 'text', nullable: true })
  deliveredBy: string | null;

  @Column({ name: 'delivered_at', type: 'timestamptz', precision: 3, nullable: true })
  deliveredAt: Date | null;
}

/** A rail's counters. Making a file locks the row until the commit. */
@Entity('payout_rails')
export class PayoutRailEntity {
  @PrimaryColumn({ name: 'rail', type: 'text', primaryKeyConstraintName: 'payout_rails_pkey' })
  rail: string;

  @Column({ name: 'last_file', type: 'bigint', default: 0 })
  lastFile: string;

  @Column({ name: 'last_payment', type: 'bigint', default: 0 })
  lastPayment: string;

  /** The last business day whose cut-off was kept. */
  @Column({ name: 'last_run_on', type: 'date', nullable: true })
  lastRunOn: CalendarDate | null;
}

/** A bank's report that an operator has uploaded. */
@Entity('payout_reports')
@Index('payout_reports_completed', ['rail', 'sha256'], { where: 'completed_at IS NOT NULL' })
export class PayoutReportEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'report_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'payout_reports_pkey',
  })
  readonly reportId: string;

  @Column({ name: 'rail', type: 'text' })
  rail: string;

  @Column({ name: 'format', type: 'text' })
  format: string;

  @Column({ name: 'sha256', type: 'text' })
  sha256: string;

  @Column({ name: 'entries', type: 'integer' })
  entries: number;

  /** How many payouts moved on. */
  @Column({ name: 'applied', type: 'integer' })
  applied: number;

  @Column({ name: 'uploaded_by', type: 'text' })
  uploadedBy: string;

  @Column({ name: 'uploaded_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly uploadedAt: Date;

  /** When its last entry was dealt with; null if that was interrupted, or done by a version before. */
  @Column({ name: 'completed_at', type: 'timestamptz', precision: 3, nullable: true })
  completedAt: Date | null;
}
