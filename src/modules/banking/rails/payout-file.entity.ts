import { Entity, Index, Unique } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import type { CalendarDate } from '../../../domain/banking/bank-calendar.js';
import type { Amount } from '../../../domain/money/amount.js';

/** A file of payouts, as a bank takes it. It never changes; a rail's files are numbered without gaps. */
@Entity('payout_files')
@Unique('payout_files_number', ['rail', 'number'])
export class PayoutFileEntity {
  @key.identity('BY DEFAULT') fileId: string;
  @column.text() rail: string;
  @column.bigint() number: string;
  @column.text() name: string;
  @column.text() mediaType: string;
  @column.text() currency: string;
  @column.integer() payments: number;
  @column.amount() total: Amount;
  /** When the bank is asked to pay. */
  @column.date() settlesOn: CalendarDate;
  /** The day on which it was made, where the rail is. */
  @column.date() createdOn: CalendarDate;
  /** Of the content, in hexadecimal. */
  @column.text() sha256: string;
  @column.bytes({ select: false }) sealedContent: Buffer;
  /** The person (see `personOf`); null where the cut-off made it. */
  @column.text({ nullable: true }) createdBy: string | null;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  /** Who reported the delivery to the bank. */
  @column.text({ nullable: true }) deliveredBy: string | null;
  @column.msTime({ nullable: true }) deliveredAt: Date | null;
}

/** A rail's counters. Making a file locks the row until the commit. */
@Entity('payout_rails')
export class PayoutRailEntity {
  @key.text() rail: string;
  @column.bigint({ default: 0 }) lastFile: string;
  @column.bigint({ default: 0 }) lastPayment: string;
  /** The last business day whose cut-off was kept. */
  @column.date({ nullable: true }) lastRunOn: CalendarDate | null;
}

/** A bank's report that an operator has uploaded. */
@Entity('payout_reports')
@Index('payout_reports_completed', ['rail', 'sha256'], { where: 'completed_at IS NOT NULL' })
export class PayoutReportEntity {
  @key.identity() readonly reportId: string;
  @column.text() rail: string;
  @column.text() format: string;
  @column.text() sha256: string;
  @column.integer() entries: number;
  /** How many payouts moved on. */
  @column.integer() applied: number;
  @column.text() uploadedBy: string;
  @column.msTime({ default: NOW }) readonly uploadedAt: Date;
  /** When its last entry was dealt with; null if that was interrupted, or done by a version before. */
  @column.msTime({ nullable: true }) completedAt: Date | null;
}
