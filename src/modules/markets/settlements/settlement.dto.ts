import { ApiProperty } from '@nestjs/swagger';
import type { MarketView } from '../../../core/core.types.js';
import type { SettlementPreview } from '../../../domain/engine/preview.js';
import type { MarketStatus } from '../../../domain/engine/types.js';
import type { MarketUnits } from '../../../domain/market/units.js';
import { amount, type Amount, formatAmount, UNITS_PER_ONE } from '../../../domain/money/amount.js';
import { type ApprovalEntity, approvalIdOf } from '../../../kit/approvals/approval.entity.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import type { SettlementEntity } from './settlement.entity.js';

/** The body of a settlement's preview and of its correction. */
export class SettlementValueDto {
  /**
   * What one contract pays, 0 to 1 of the quote asset.
   * @example "1"
   */
  @IsPlainDecimal()
  settlement_value: string;
}

/** What one operator proposed; carried out as soon as another one sends the same value. */
export class SettlementProposalDto {
  /** @example "apv_00000000001" */
  approval_id: string;
  /** @example "1" */
  settlement_value: string;
  /**
   * The user or client who proposed it.
   * @example "user:7"
   */
  proposed_by: string;
  /** RFC 3339, UTC. */
  proposed_at: string;
}

/** Where the settlement of a market stands. */
export class SettlementStateDto {
  /** @example "RAIN-LISBON" */
  market_id: string;
  status: MarketStatus;
  /** The value in force; null before settlement. */
  settlement_value: string | null;
  /** When the value in force was set; null while holders are still being paid. */
  settled_at: string | null;
  /** Accounts that hold contracts, or held them when they were paid. */
  @ApiProperty({ type: 'integer', example: 12 })
  holders: number;
  /** How many of them have been paid. While the market is `settling` this grows. */
  @ApiProperty({ type: 'integer', example: 12 })
  paid: number;
  /**
   * What they have been paid together, at the value in force.
   * @example "140"
   */
  amount_paid: string;
  /** When the first of them was paid, and when the last one was; RFC 3339, UTC. */
  started_at: string | null;
  finished_at: string | null;
  /** What waits for a second operator; null where nothing does. */
  @ApiProperty({ type: SettlementProposalDto, nullable: true })
  proposal: SettlementProposalDto | null;
}

/** Where the settlement stands, whose correction waits for a second operator. */
export class ProposedSettlementDto extends SettlementStateDto {
  /**
   * The approval that waits for another operator: see `GET /admin/approvals/{approval_id}`.
   * @example "apv_00000000001"
   */
  approval_id: string;
}

/** One value at which a market was settled. The newest is in force, the ones before it were corrected. */
export class SettlementDto {
  /** @example "1" */
  settlement_value: string;
  /** RFC 3339, UTC. */
  settled_at: string;
  /** Its place in the ledger's one global sequence. */
  @ApiProperty({ type: 'integer' })
  ledger_sequence: number;
}

/** What a settlement, or a correction of one, would pay. Nothing has been changed. */
export class SettlementPreviewDto {
  /** `correction` where the market is settled already, and the sums are differences. */
  kind: 'settlement' | 'correction';
  /** @example "1" */
  settlement_value: string;
  /**
   * In which all is paid.
   * @example "USD"
   */
  asset: string;
  /** Accounts that are long, or were at settlement. */
  @ApiProperty({ type: 'integer', example: 12 })
  long_accounts: number;
  @ApiProperty({ type: 'integer', example: 9 })
  short_accounts: number;
  /**
   * Contracts on either side.
   * @example "140"
   */
  contracts: string;
  /**
   * What all longs would get together; in a correction the difference, below zero where they pay back.
   * @example "140"
   */
  to_longs: string;
  /** @example "0" */
  to_shorts: string;
}

/** How many accounts hold contracts, or held them at settlement. */
export interface HolderCounts {
  readonly longs: number;
  readonly shorts: number;
}

/** How far a settlement has come. */
export interface SettlementProgress extends HolderCounts {
  readonly paid: number;
  readonly paidLongLots: bigint;
  readonly paidShortLots: bigint;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** What the holders that were paid got at a value, in the quote asset. */
export function amountPaid({ definition }: MarketView, value: Amount, progress: SettlementProgress): Amount {
  const worth = (lots: bigint): bigint => (lots * definition.lotSize * value) / UNITS_PER_ONE;
  const toShorts = progress.paidShortLots * definition.lotSize - worth(progress.paidShortLots);
  return amount(worth(progress.paidLongLots) + toShorts);
}

export function toSettlementDto(settlement: SettlementEntity): SettlementDto {
  return {
    settlement_value: formatAmount(settlement.settlementValue),
    settled_at: settlement.settledAt.toISOString(),
    ledger_sequence: settlement.sequence,
  };
}

export function toSettlementProposalDto(
  proposal: Pick<ApprovalEntity, 'approvalId' | 'proposedBy' | 'proposedAt'> & {
    readonly payload: { readonly settlementValue: string };
  },
): SettlementProposalDto {
  return {
    approval_id: approvalIdOf(proposal),
    settlement_value: proposal.payload.settlementValue,
    proposed_by: proposal.proposedBy,
    proposed_at: proposal.proposedAt.toISOString(),
  };
}

export function toSettlementPreviewDto(
  kind: SettlementPreviewDto['kind'],
  preview: SettlementPreview,
  holders: HolderCounts,
  units: MarketUnits,
): SettlementPreviewDto {
  return {
    kind,
    settlement_value: formatAmount(preview.settlementValue),
    asset: preview.asset,
    long_accounts: holders.longs,
    short_accounts: holders.shorts,
    contracts: units.size.format(preview.lots),
    to_longs: formatAmount(amount(preview.toLongs)),
    to_shorts: formatAmount(amount(preview.toShorts)),
  };
}
