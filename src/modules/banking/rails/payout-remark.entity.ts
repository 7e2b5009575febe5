import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

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
  @PrimaryGeneratedColumn('identity', {
    name: 'remark_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'payout_remarks_pkey',
  })
  readonly remarkId: string;

  @Column({ name: 'report_id', type: 'bigint' })
  reportId: string;

  @Column({ name: 'rail', type: 'text' })
  rail: string;

  @Column({ name: 'payout_id', type: 'bigint', nullable: true })
  payoutId: string | null;

  @Column({ name: 'file_id', type: 'bigint', nullable: true })
  fileId: string | null;

  @Column({ name: 'bank_reference', type: 'text', nullable: true })
  bankReference: string | null;

  /** The bank's own. */
  @Column({ name: 'code', type: 'text', nullable: true })
  code: string | null;

  @Column({ name: 'reason', type: 'text' })
  reason: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  /** The person, see `personOf`. */
  @Column({ name: 'cleared_by', type: 'text', nullable: true })
  clearedBy: string | null;

  @Column({ name: 'cleared_at', type: 'timestamptz', precision: 3, nullable: true })
  clearedAt: Date | null;

  /** What whoever cleared it has found out. */
  @Column({ name: 'note', type: 'text', nullable: true })
  note: string | null;
}
