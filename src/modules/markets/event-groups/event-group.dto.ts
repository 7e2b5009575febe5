import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import type { EventGroupView, MarketView } from '../../../core/core.types.js';
import type { GroupSettlementPreview } from '../../../domain/engine/preview.js';
import { formatAmount, UNITS_PER_ONE } from '../../../domain/money/amount.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';

/** Event markets that exclude each other. */
export class CreateEventGroupDto {
  /**
   * 1 to 64 of A–Z, 0–9, dot, underscore and hyphen.
   * @example "CUP-WINNER"
   */
  @IsString()
  @MaxLength(64)
  event_group_id: string;

  /** @example "Who wins the cup?" */
  @IsString()
  @MinLength(1)
  @MaxLength(200)
  title: string;

  /** 2 to 50 event markets that nobody has traded, with the same quote asset and lot size. */
  @ApiProperty({ type: [String], minItems: 2, maxItems: 50, example: ['CUP-RED', 'CUP-GREEN', 'CUP-BLUE'] })
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  @ArrayMinSize(2)
  @ArrayMaxSize(50)
  market_ids: string[];
}

export class SetsDto {
  /** One of the caller's own accounts; without it, the credential's own. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;

  /**
   * How many sets, in whole lots.
   * @example "10"
   */
  @IsPlainDecimal()
  size: string;
}

export class SettleEventGroupDto {
  /**
   * The market that is settled at 1; all others of the group are settled at 0.
   * @example "CUP-RED"
   */
  @IsString()
  @MaxLength(64)
  winning_market_id: string;
}

/** Event markets of which exactly one is settled at 1, and all others at 0. */
export class EventGroupDto {
  /** @example "CUP-WINNER" */
  event_group_id: string;
  /** @example "Who wins the cup?" */
  title: string;
  @ApiProperty({ type: [String], example: ['CUP-RED', 'CUP-GREEN', 'CUP-BLUE'] })
  market_ids: string[];
  /** The market that was settled at 1; null before the settlement. */
  winning_market_id: string | null;
  /** RFC 3339, UTC. */
  created_at: string;
}

/** A group whose settlement waits for a second operator. */
export class ProposedEventGroupDto extends EventGroupDto {
  /**
   * The approval that waits for another operator: see `GET /admin/approvals/{approval_id}`.
   * @example "apv_00000000001"
   */
  approval_id: string;
}

/** Sets that were split or merged. */
export class TradedSetsDto {
  /** @example "CUP-WINNER" */
  event_group_id: string;
  /** @example "acc_00000000001" */
  account_id: string;
  /** @example "10" */
  size: string;
}

/** What the settlement of a group, or a correction of one, would pay. Nothing has been changed. */
export class EventGroupSettlementPreviewDto {
  /** `correction` where the group is settled already, and the sums are differences. */
  kind: 'settlement' | 'correction';
  /** @example "CUP-RED" */
  winning_market_id: string;
  /**
   * In which all is paid.
   * @example "USD"
   */
  asset: string;
  /**
   * To all who are long in the market that wins; in a correction the difference, below zero where they pay back more than
   * others of them get.
   * @example "140"
   */
  to_longs: string;
  /**
   * To all who are short in the others.
   * @example "20"
   */
  to_shorts: string;
  /**
   * What accounts would pay back, for others to get; 0 in a settlement.
   * @example "0"
   */
  paid_back: string;
}

export function toEventGroupDto(group: EventGroupView, markets: readonly MarketView[]): EventGroupDto {
  const winner = markets.find(({ settlementValue }) => settlementValue === UNITS_PER_ONE);
  return {
    event_group_id: group.groupId,
    title: group.title,
    market_ids: [...group.marketIds],
    winning_market_id: winner?.definition.marketId ?? null,
    created_at: new Date(group.createdAtMs).toISOString(),
  };
}

export function toGroupPreviewDto(
  kind: EventGroupSettlementPreviewDto['kind'],
  winningMarketId: string,
  { asset, toLongs, toShorts, paidBack }: GroupSettlementPreview,
): EventGroupSettlementPreviewDto {
  return {
    kind,
    winning_market_id: winningMarketId,
    asset,
    to_longs: formatAmount(toLongs),
    to_shorts: formatAmount(toShorts),
    paid_back: formatAmount(paidBack),
  };
}
