import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { PAYOUT_STATUSES, type PayoutStatus } from '../../../domain/banking/payout-states.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { IsPlainDecimal } from '../../../kit/http/validation/is-plain-decimal.js';
import { payoutIdOf } from './payout-commands.js';
import type { PayoutStateEntity } from './payout-state.entity.js';
import type { PayoutEntity } from './payout.entity.js';
import { HELD_BECAUSE, type HeldBecause } from '../../users/withdrawal-gate.js';
import { PAYOUT_ACCOUNT_IDS, PAYOUT_FILE_IDS } from '../ids.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** The body of `POST /payouts`. */
export class CreatePayoutDto {
  /**
   * Where the money goes.
   * @example "pac_0000000001A"
   */
  @IsString()
  @MaxLength(64)
  payout_account_id: string;

  /**
   * What is to arrive, with no more decimals than cents. The fee comes in addition.
   * @example "250.00"
   */
  @IsPlainDecimal({ positive: true })
  amount: string;

  /**
   * That of the payout account.
   * @example "EUR"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(16)
  currency: string;

  /**
   * What the receiver reads on the statement: up to 140 letters by SEPA, 80 by ACH.
   * @example "Winnings of November"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(140)
  reference?: string;

  /** Which of one's trading accounts the money leaves; one's own where it is left out. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;
}

/** The filters of `GET /payouts`; the period is that of `created_at`. */
export class ListPayoutsQueryDto extends PeriodQueryDto {
  @ApiPropertyOptional({ enum: PAYOUT_STATUSES })
  @IsOptional()
  @IsIn(PAYOUT_STATUSES)
  status?: PayoutStatus;

  /** Only payouts to this account. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  payout_account_id?: string;

  /** Only payouts out of this account. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;
}

/** Money on its way to a bank account. */
export class PayoutDto {
  /** @example "pay_0000000001B" */
  payout_id: string;
  /** @example "pac_0000000001A" */
  payout_account_id: string;
  /**
   * The account that the money leaves, where it is held until it is paid.
   * @example "acc_0000000000D"
   */
  account_id: string;
  /**
   * What arrives.
   * @example "250"
   */
  amount: string;
  /**
   * What was asked for; older payouts may have left what is below a cent of it in the account.
   * @example "250"
   */
  requested_amount: string;
  /** @example "EUR" */
  currency: string;
  /**
   * Taken from the account in addition to the amount.
   * @example "0"
   */
  fee: string;
  @ApiProperty({ enum: PAYOUT_STATUSES })
  status: PayoutStatus;
  /** Why it is in its status, such as the bank's `R03` or `AC04`; null where there is nothing to say. */
  code: string | null;
  /** The same in words. */
  message: string | null;
  /** @example "Winnings of November" */
  reference: string | null;
  /** RFC 3339, UTC. */
  created_at: string;
  updated_at: string;
}

/** The columns of the list as CSV. */
export const PAYOUT_COLUMNS = [
  'payout_id',
  'payout_account_id',
  'account_id',
  'amount',
  'requested_amount',
  'currency',
  'fee',
  'status',
  'code',
  'message',
  'reference',
  'created_at',
  'updated_at',
] as const satisfies readonly CsvColumn<PayoutDto>[];

/** A status that a payout came into. */
export class PayoutStateDto {
  @ApiProperty({ enum: PAYOUT_STATUSES })
  status: PayoutStatus;
  code: string | null;
  message: string | null;
  /** Who did it: `owner`, `operator`, or `service`. */
  changed_by: 'owner' | 'operator' | 'service';
  /** RFC 3339, UTC. */
  changed_at: string;
}

/** Every status of a payout, oldest first. */
export class PayoutHistoryDto {
  data: PayoutStateDto[];
}

/** The filters of `GET /admin/payouts`; the period is that of `created_at`. */
export class ListAllPayoutsQueryDto extends PeriodQueryDto {
  @ApiPropertyOptional({ enum: PAYOUT_STATUSES })
  @IsOptional()
  @IsIn(PAYOUT_STATUSES)
  status?: PayoutStatus;

  /** Such as `sepa` or `ach`. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(32)
  rail?: string;
}

/** A payout as operators see it. */
export class OperatorPayoutDto extends PayoutDto {
  /**
   * Whose money it is.
   * @example "client:demo"
   */
  owner: string;
  /** The person who asked for it, and who cannot approve it. */
  requested_by: string;
  /** @example "sepa" */
  rail: string;
  /**
   * Why it does not leave, while that is so: it waits until the account is unfrozen or its owner unlocked, or
   * until an operator rejects it.
   */
  @ApiProperty({ enum: HELD_BECAUSE, nullable: true })
  held: HeldBecause | null;
  /** The file that carries it; null before. */
  file_id: string | null;
  /** What the bank's reports call it. */
  bank_reference: string | null;
  /** On this day it counts as paid unless it comes back; null until it is in transit. */
  paid_after: string | null;
}

/** The body of `POST /admin/payouts/{payout_id}/reject`. */
export class RejectPayoutDto {
  /**
   * Why, in words that the owner reads.
   * @example "The account holder is somebody else."
   */
  @IsString()
  @MinLength(1)
  @MaxLength(500)
  reason: string;
}

const REPORTED = ['paid', 'failed', 'returned'] as const;

/** The body of `POST /admin/payouts/{payout_id}/report`: what the bank has said. */
export class ReportPayoutDto {
  /** `returned` also takes back what was reported as paid before. */
  @ApiProperty({ enum: REPORTED, example: 'paid' })
  @IsIn(REPORTED)
  status: (typeof REPORTED)[number];

  /** The bank's own code, such as `R03` or `AC04`. */
  @ApiPropertyOptional()
  @IsOptional()
  @Matches(/^[A-Za-z0-9_]{1,35}$/, { message: '$property must be 1 to 35 letters, digits or underscores' })
  code?: string;

  /** The bank's words. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(500)
  message?: string;
}

export function toPayoutDto(payout: PayoutEntity): PayoutDto {
  return {
    payout_id: payoutIdOf(payout),
    payout_account_id: PAYOUT_ACCOUNT_IDS.format(Number(payout.payoutAccountId)),
    account_id: ACCOUNT_IDS.format(Number(payout.accountId)),
    ...fieldsOf(payout, 'amount', 'requestedAmount', 'currency', 'fee', 'status', 'code', 'message'),
    ...fieldsOf(payout, 'reference', 'createdAt', 'updatedAt'),
  };
}

export function toOperatorPayoutDto(payout: PayoutEntity, held: HeldBecause | undefined): OperatorPayoutDto {
  const isWaiting = payout.status === 'pending_approval' || payout.status === 'pending';
  return {
    ...toPayoutDto(payout),
    ...fieldsOf(payout, 'owner', 'requestedBy', 'rail'),
    held: isWaiting ? (held ?? null) : null,
    file_id: payout.fileId === null ? null : PAYOUT_FILE_IDS.format(Number(payout.fileId)),
    bank_reference: payout.bankReference,
    paid_after: payout.paidAfter,
  };
}

/** Owners learn that an operator decided, but not which one. */
export function toPayoutStateDto(state: PayoutStateEntity, owner: string): PayoutStateDto {
  const { changedBy } = state;
  return {
    ...fieldsOf(state, 'status', 'code', 'message'),
    changed_by: changedBy === null ? 'service' : changedBy === owner ? 'owner' : 'operator',
    changed_at: state.changedAt.toISOString(),
  };
}
