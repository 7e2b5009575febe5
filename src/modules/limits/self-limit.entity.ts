import { Entity, Index, CreateDateColumn, UpdateDateColumn } from 'typeorm';
import { column, key } from '../../kit/database/columns.js';
import type { Amount } from '../../domain/money/amount.js';
import type { LimitPeriod } from './periods.js';

export const LIMIT_KINDS = ['deposit', 'loss', 'stake'] as const;
export type LimitKind = (typeof LIMIT_KINDS)[number];

/** A limit that the owner of an account has set for it; see `limit-terms.ts` for how it changes. */
@Entity('self_limits')
@Index('self_limits_terms', ['accountId', 'kind', 'asset', 'period'], { unique: true })
export class SelfLimitEntity {
  @key.identity() readonly limitId: string;
  @column.bigint() accountId: string;
  @column.text() kind: LimitKind;
  @column.text() asset: string;
  @column.text() period: LimitPeriod;
  @column.amount() amount: Amount;
  @column.amount({ nullable: true }) pendingAmount: Amount | null;
  /** When the pending amount takes the place of the other, or the limit ends; null while nothing is pending. */
  @column.time({ nullable: true }) effectiveAt: Date | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  readonly createdAt: Date;

  @UpdateDateColumn({ name: 'updated_at', type: 'timestamptz' })
  readonly updatedAt: Date;
}
