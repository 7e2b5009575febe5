import { ApiProperty } from '@nestjs/swagger';
import { IsInstance, IsString, MaxLength, MinLength } from 'class-validator';
import { PAYOUT_STATUSES, type PayoutStatus } from '../../../domain/banking/payout-states.js';
import type { PayoutFileEntity } from './payout-file.entity.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { PAYOUT_FILE_IDS } from '../ids.js';

/** The body of `POST /admin/payout-files`. */
export class CreatePayoutFilesDto {
  /**
   * `sepa` or `ach`, or the name of a rail that a plugin brings.
   * @example "sepa"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(32)
  rail: string;
}

/** A file of payouts for the bank. */
export class PayoutFileDto {
  /** @example "pof_00000000001" */
  file_id: string;
  /** @example "sepa" */
  rail: string;
  /** Counts the rail's files, without gaps. */
  @ApiProperty({ type: 'integer', example: 12 })
  number: number;
  /** @example "sepa-000012.xml" */
  name: string;
  /** @example "application/xml" */
  media_type: string;
  /** @example "EUR" */
  currency: string;
  @ApiProperty({ type: 'integer', example: 3 })
  payments: number;
  /** @example "750" */
  total: string;
  /**
   * The business day on which the bank is asked to pay.
   * @example "2026-11-23"
   */
  settles_on: string;
  /** Of the content, in hexadecimal. */
  sha256: string;
  /** The operator who closed the batch; null where the cut-off did. */
  created_by: string | null;
  /** RFC 3339, UTC. */
  created_at: string;
  /** Who said that the bank has it; null before. */
  delivered_by: string | null;
  delivered_at: string | null;
}

/** The files that were made of what waited; none where nothing did. */
export class PayoutFilesDto {
  data: PayoutFileDto[];
}

/** The form of `POST /admin/payout-files/reports`. */
export class UploadPayoutReportDto {
  /** A pain.002 or a file of NACHA returns. */
  @ApiProperty({ type: 'string', format: 'binary' })
  @IsInstance(Buffer, { message: 'file must be sent as a file, and not be empty' })
  file: Buffer;
}

/** What became of one entry of a report. */
export class PayoutReportEntryDto {
  /** The payout that it speaks of; null where there is none. */
  payout_id: string | null;
  /** What the report calls it. */
  bank_reference: string | null;
  /** `applied` moved the payout, `unchanged` found it there already, `ignored` moved nothing and left a remark. */
  outcome: 'applied' | 'unchanged' | 'ignored';
  /** The payout's status now. */
  @ApiProperty({ enum: PAYOUT_STATUSES, nullable: true })
  status: PayoutStatus | null;
  /** The bank's own code. */
  code: string | null;
  /** Why it was ignored. */
  reason: string | null;
  /** The remark that an operator is to clear, see `GET /admin/payout-remarks`; null where it was not ignored. */
  remark_id: string | null;
}

/** What a bank's report has done. */
export class PayoutReportDto {
  /** @example "por_00000000001" */
  report_id: string;
  /** @example "sepa" */
  rail: string;
  /** @example "pain.002" */
  format: string;
  entries: PayoutReportEntryDto[];
  /** What the report says beside, such as notices of change. */
  remarks: string[];
}

export function toPayoutFileDto(file: PayoutFileEntity): PayoutFileDto {
  return {
    file_id: PAYOUT_FILE_IDS.format(Number(file.fileId)),
    rail: file.rail,
    number: Number(file.number),
    ...fieldsOf(file, 'name', 'mediaType', 'currency', 'payments', 'total', 'settlesOn', 'sha256'),
    ...fieldsOf(file, 'createdBy', 'createdAt', 'deliveredBy', 'deliveredAt'),
  };
}
