import { Column, CreateDateColumn, Entity, Index, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import type { Amount } from '../../domain/money/amount.js';
import { units } from '../../kit/database/columns.js';
import type { LimitPeriod } from './periods.js';

export const LIMIT_KINDS = ['deposit', 'loss', 'stake'] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** A limit that the owner of an account has set for it; see `limit-terms.ts` for how it changes. */
@Entity('self_limits')
@Index('self_limits_terms', ['accountId', 'kind', 'asset', 'period'], { unique: true })
export class SelfLimitEntity {
  @PrimaryGeneratedColumn('identity', { name: 'limit_id', type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly limitId: string;

  @Column({ name: 'account_id', type: 'bigint' })
  accountId: string;

  @Column({ name: 'kind', type: 'text' })
  kind: LimitKind;

  @Column({ name: 'asset', type: 'text' })
  asset: string;

  @Column({ name: 'period', type: 'text' })
  period: LimitPeriod;

  @Column({ name: 'amount', type: 'numeric', precision: 38, scale: 0, transformer: units })
  amount: Amount;

  @Column({
    name: 'pending_amount',
    type: 'numeric',
    precision: 38,
    scale: 0,
    nullable: true,
    transformer: units,
  })
  pendingAmount: Amount | null;

  /** When the pending amount takes the place of the other, or the limit ends; null while nothing is pending. */
  @Column({ name: 'effective_at', type: 'timestamptz', nullable: true })
  effectiveAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  readonly createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  readonly updatedAt: Date;
}
