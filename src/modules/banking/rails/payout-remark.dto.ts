import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { payoutIdOf } from '../payouts/payout-commands.js';
import type { PayoutRemarkEntity } from './payout-remark.entity.js';
import { PAYOUT_FILE_IDS, PAYOUT_REMARK_IDS, PAYOUT_REPORT_IDS } from '../ids.js';

const STATUSES = ['open', 'cleared'] as const;

/** The filters of `GET /admin/payout-remarks`. */
export class ListPayoutRemarksQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: STATUSES })
  @IsOptional()
  @IsIn(STATUSES)
  status?: (typeof STATUSES)[number];
}

/** The body of `POST /admin/payout-remarks/{remark_id}/clear`. */
export class ClearPayoutRemarkDto {
  /**
   * What the bank answered, for those who read it later.
   * @example "The bank has paid it on 24 November."
   */
  @IsString()
  @MinLength(1)
  @MaxLength(500)
  note: string;
}

/** What a bank's report says that moved nothing. */
export class PayoutRemarkDto {
  /** @example "prm_00000000001" */
  remark_id: string;
  /** Until it is `cleared`, silence of the bank does not make its payout, or those of its file, `paid`. */
  @ApiProperty({ enum: STATUSES })
  status: (typeof STATUSES)[number];
  /** @example "por_00000000001" */
  report_id: string;
  /** @example "sepa" */
  rail: string;
  /** The payout that it is about; null where it is about a whole file, or about something unknown. */
  payout_id: string | null;
  /** The file that it is about as a whole. */
  file_id: string | null;
  /** What the report calls the payment. */
  bank_reference: string | null;
  /**
   * The bank's own code.
   * @example "CANC"
   */
  code: string | null;
  /** Why it moved nothing. */
  reason: string;
  /** RFC 3339, UTC. */
  created_at: string;
  /** Who cleared it. */
  cleared_by: string | null;
  cleared_at: string | null;
  note: string | null;
}

export function remarkIdOf(remarkId: string): string {
  return PAYOUT_REMARK_IDS.format(Number(remarkId));
}

export function toPayoutRemarkDto(remark: PayoutRemarkEntity): PayoutRemarkDto {
  const { payoutId, fileId, clearedAt } = remark;
  return {
    remark_id: remarkIdOf(remark.remarkId),
    status: clearedAt === null ? 'open' : 'cleared',
    report_id: PAYOUT_REPORT_IDS.format(Number(remark.reportId)),
    rail: remark.rail,
    payout_id: payoutId === null ? null : payoutIdOf({ payoutId }),
    file_id: fileId === null ? null : PAYOUT_FILE_IDS.format(Number(fileId)),
    ...fieldsOf(remark, 'bankReference', 'code', 'reason', 'createdAt', 'clearedBy'),
    cleared_at: clearedAt?.toISOString() ?? null,
    note: remark.note,
  };
}
