import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsDefined,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import type { FeeScheduleEntity } from './fee-schedule.entity.js';
import type { FeeTier } from './fee-tier.js';

export const SCHEDULE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;
const SIGNED_DECIMAL = /^-?0(\.\d{1,18})?$/;
const TIERS_MAX = 20;

export class FeeTierDto implements FeeTier {
  /**
   * From which volume of the last 30 days on it applies; 0 in the first.
   * @example "0"
   */
  @IsPlainDecimal()
  volume_30d: string;

  /**
   * What a resting order pays: a share of the fee base, or with a minus sign what it is paid at most. A rebate of a fill
   * is never more than what the order that takes it pays for it.
   * @example "-0.0001"
   */
  @ApiProperty({ format: 'decimal', pattern: SIGNED_DECIMAL.source })
  @Matches(SIGNED_DECIMAL, { message: '$property must be a decimal below 1 in a string, such as "-0.0001"' })
  maker_fee_rate: string;

  /**
   * What an order pays that takes; at least as much as the rebate.
   * @example "0.0005"
   */
  @IsPlainDecimal()
  taker_fee_rate: string;
}

/** The body of `PUT /admin/fee-schedules/{name}`. */
export class PutFeeScheduleDto {
  /** In order of their volumes. */
  @ApiProperty({ type: [FeeTierDto], minItems: 1, maxItems: TIERS_MAX })
  @IsDefined()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(TIERS_MAX)
  @ValidateNested({ each: true })
  @Type(() => FeeTierDto)
  tiers: FeeTierDto[];

  /**
   * The quote asset whose markets make the volume, which then decides about all markets. Left out, or null, the volume in
   * markets of the same quote asset decides: amounts in different assets are never added.
   * @example "USD"
   */
  @ApiPropertyOptional({ type: String, nullable: true })
  @IsOptional()
  @IsString()
  @MaxLength(32)
  volume_asset?: string | null;
}

export class FeeScheduleDto {
  /** @example "default" */
  name: string;
  tiers: FeeTierDto[];
  /** Null where the quote asset of each market counts. */
  volume_asset: string | null;
  /** How many accounts have been given it. */
  @ApiProperty({ type: 'integer' })
  accounts: number;
  /** Whether a rebate is above the lowest taker fee of all schedules: of such trades it is paid in part. */
  rebates_capped: boolean;
  updated_at: string;
}

/** The body of `PUT /admin/accounts/{account_id}/fee-schedule`. */
export class GiveFeeScheduleDto {
  /**
   * `null` for the schedule of all, `default`.
   * @example "default"
   */
  @ApiProperty({ type: String, nullable: true })
  @ValidateIf(({ name }: GiveFeeScheduleDto) => name !== null)
  @Matches(SCHEDULE_NAME)
  name: string | null;
}

export class GivenFeeScheduleDto {
  /** @example "acc_00000000042" */
  account_id: string;
  /** Null where the account has the schedule of all. */
  name: string | null;
}

export function toFeeScheduleDto(
  { name, tiers, volumeAsset, updatedAt }: FeeScheduleEntity,
  { accounts, areRebatesCapped }: { readonly accounts: number; readonly areRebatesCapped: boolean },
): FeeScheduleDto {
  return {
    name,
    tiers: [...tiers],
    volume_asset: volumeAsset,
    accounts,
    rebates_capped: areRebatesCapped,
    updated_at: updatedAt.toISOString(),
  };
}
