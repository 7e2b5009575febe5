import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength, MinLength } from 'class-validator';
import { formatAmount } from '../../domain/money/amount.js';
import { IsPlainDecimal } from '../../kit/http/validation/is-plain-decimal.js';
import type { MeasuredLimit } from './allowances.js';
import { LIMIT_PERIODS, type LimitPeriod } from './periods.js';
import { LIMIT_KINDS, type LimitKind } from './self-limit.entity.js';
import { SELF_LIMIT_IDS } from './ids.js';
import { ACCOUNT_IDS } from '../accounts/ids.js';

/** The body of `POST /accounts/{account_id}/limits`. */
export class SetSelfLimitDto {
  /** What is limited: money that comes in, net losses, or stakes in event markets. */
  @ApiProperty({ enum: LIMIT_KINDS, example: 'stake' })
  @IsIn(LIMIT_KINDS)
  kind: LimitKind;

  /**
   * The asset that counts; of losses and stakes, the quote asset of the markets.
   * @example "USD"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(16)
  asset: string;

  /**
   * The most in a period, with no more decimals than the asset has; `0` allows nothing.
   * @example "100.00"
   */
  @IsPlainDecimal()
  amount: string;

  /** A calendar day, a week from Monday, or a calendar month; in UTC. */
  @ApiProperty({ enum: LIMIT_PERIODS, example: 'week' })
  @IsIn(LIMIT_PERIODS)
  period: LimitPeriod;
}

/** A limit that the owner of an account has set for it. */
export class SelfLimitDto {
  /** @example "lim_00000000007" */
  limit_id: string;
  /** @example "acc_00000000042" */
  account_id: string;
  @ApiProperty({ enum: LIMIT_KINDS, example: 'stake' })
  kind: LimitKind;
  /** @example "USD" */
  asset: string;
  /** The amount in force. */
  @ApiProperty({ format: 'decimal', example: '100' })
  amount: string;
  @ApiProperty({ enum: LIMIT_PERIODS, example: 'week' })
  period: LimitPeriod;
  /** Of the running period so far. */
  @ApiProperty({ format: 'decimal', example: '37.5' })
  used: string;
  /** What is left. Of a loss limit, less what open contracts and orders in event markets could still lose. */
  @ApiProperty({ format: 'decimal', example: '62.5' })
  remaining: string;
  /** RFC 3339, UTC. */
  @ApiProperty({ example: '2026-11-23T00:00:00.000Z' })
  period_start: string;
  /** When the next period starts. */
  @ApiProperty({ example: '2026-11-30T00:00:00.000Z' })
  period_end: string;
  /** A looser amount that waits; null where none does, and where the limit is to end. */
  @ApiProperty({ type: String, nullable: true, format: 'decimal', example: '200' })
  pending_amount: string | null;
  /** When the pending amount takes effect, or without one, when the limit ends; null while nothing is pending. */
  @ApiProperty({ type: String, nullable: true, example: '2026-11-26T09:00:00.000Z' })
  effective_at: string | null;
}

/** All limits that bind an account, those of its owner's other trading accounts among them. */
export class SelfLimitsDto {
  limits: SelfLimitDto[];
}

export function toSelfLimitDto({ limit, span, figure, remaining }: MeasuredLimit): SelfLimitDto {
  const { limitId, accountId, kind, asset, amount, period, pendingAmount, effectiveAt } = limit;
  return {
    limit_id: SELF_LIMIT_IDS.format(Number(limitId)),
    account_id: ACCOUNT_IDS.format(Number(accountId)),
    kind,
    asset,
    amount: formatAmount(amount),
    period,
    used: formatAmount(figure.used),
    remaining: formatAmount(remaining),
    period_start: new Date(span.startMs).toISOString(),
    period_end: new Date(span.endMs).toISOString(),
    pending_amount: pendingAmount === null ? null : formatAmount(pendingAmount),
    effective_at: effectiveAt?.toISOString() ?? null,
  };
}
