import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Amount } from '../../../domain/money/amount.js';
import { units } from '../../../platform/database/columns.js';

/** What one operator proposed to settle a market at, or to correct its settlement to. A market has one open proposal at most. */
@Entity('settlement_proposals')
@Check('settlement_proposals_status_check', `status IN ('open', 'carried_out', 'withdrawn')`)
@Index('settlement_proposals_open', ['marketId'], { unique: true, where: `status = 'open'` })
export class SettlementProposalEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'proposal_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'settlement_proposals_pkey',
  })
  readonly proposalId: string;

  @Column({ name: 'market_id', type: 'text' })
  marketId: string;

  @Column({ name: 'settlement_value', type: 'numeric', precision: 38, scale: 0, transformer: units })
  settlementValue: Amount;

  /** The person, see `personOf`. */
  @Column({ name: 'proposed_by', type: 'text' })
  proposedBy: string;

  @Column({ name: 'proposed_at', type: 'timestamptz', default: () => 'now()' })
  readonly proposedAt: Date;

  @Column({ name: 'status', type: 'text', default: 'open' })
  status: 'open' | 'carried_out' | 'withdrawn';

  /** The person who agreed or withdrew. */
  @Column({ name: 'ended_by', type: 'text', nullable: true })
  endedBy: string | null;

  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;
}
