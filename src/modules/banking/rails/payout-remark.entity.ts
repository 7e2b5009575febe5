import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';

const OPEN = { where: 'cleared_at IS NULL' };

/**
 * A statement of a bank's report that moved nothing, since it is not understood or contradicts what is known. It is about
 * a payout, about all of a file, or about neither where the bank names something unknown.
 */
@Entity('payout_remarks')
@Index('payout_remarks_open', ['remarkId'], OPEN)
@Index('payout_remarks_payout', ['payoutId'], OPEN)
@Index('payout_remarks_file', ['fileId'], OPEN)
export class PayoutRemarkEntity {
  @key.identity() readonly remarkId: string;
  @column.bigint() reportId: string;
  @column.text() rail: string;
  @column.bigint({ nullable: true }) payoutId: string | null;
  @column.bigint({ nullable: true }) fileId: string | null;
  @column.text({ nullable: true }) bankReference: string | null;
  /** The bank's own. */
  @column.text({ nullable: true }) code: string | null;
  @column.text() reason: string;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  /** The person, see `personOf`. */
  @column.text({ nullable: true }) clearedBy: string | null;
  @column.msTime({ nullable: true }) clearedAt: Date | null;
  /** What whoever cleared it has found out. */
  @column.text({ nullable: true }) note: string | null;
}
