import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { PageQueryDto } from '../http/pagination.js';
import {
  APPROVAL_KINDS,
  APPROVAL_STATUSES,
  type ApprovalEntity,
  approvalIdOf,
  type ApprovalKindName,
  type ApprovalStatus,
} from './approval.entity.js';
import { fieldsOf } from '../http/fields-of.js';

const REASON_LENGTH_MAX = 500;

/** The query of `GET /admin/approvals`. */
export class ListApprovalsQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: APPROVAL_KINDS })
  @IsOptional()
  @IsIn(APPROVAL_KINDS)
  kind?: ApprovalKindName;

  @ApiPropertyOptional({ enum: APPROVAL_STATUSES })
  @IsOptional()
  @IsIn(APPROVAL_STATUSES)
  status?: ApprovalStatus;
}

/** The body of `POST /admin/approvals/{approval_id}/approve`. */
export class ApproveDto {
  /** @example "The wire is on the bank's statement of today." */
  @IsOptional()
  @IsString()
  @MaxLength(REASON_LENGTH_MAX)
  reason?: string;
}

/** The body of `POST /admin/approvals/{approval_id}/reject`. */
export class RejectDto {
  /** @example "No such wire has arrived." */
  @IsString()
  @MinLength(1)
  @MaxLength(REASON_LENGTH_MAX)
  reason: string;
}

/** What an approval is about. */
export class ApprovalSubjectDto {
  /** @example "account" */
  type: string;
  /** @example "acc_00000000007" */
  id: string;
}

/** An act that takes two persons: proposed by one, decided about by another. */
export class ApprovalDto {
  /** @example "apv_00000000001" */
  approval_id: string;
  @ApiProperty({ enum: APPROVAL_KINDS })
  kind: ApprovalKindName;
  /** `failed`: it was approved, and refused when it was to be carried out; `reason` is the code then. */
  @ApiProperty({ enum: APPROVAL_STATUSES })
  status: ApprovalStatus;
  @ApiProperty({ type: ApprovalSubjectDto })
  subject: ApprovalSubjectDto;
  /**
   * What happens when it is approved.
   * @example "Deposit 50000 EUR into the account acc_00000000007 of alice (wire 2026-11-01/17)."
   */
  summary: string;
  /**
   * The person: a user, with all clients and keys of theirs, or one of the service's own clients.
   * @example "user:7"
   */
  proposed_by: string;
  /** RFC 3339, UTC. */
  proposed_at: string;
  /** Null while it is pending, and where nobody decided in time. */
  @ApiProperty({ type: String, nullable: true, example: null })
  decided_by: string | null;
  @ApiProperty({ type: String, nullable: true, example: null })
  decided_at: string | null;
  @ApiProperty({ type: String, nullable: true, example: null })
  reason: string | null;
  /** Until when somebody can decide; null for payouts and transfers, which end by their own states. */
  @ApiProperty({ type: String, nullable: true })
  expires_at: string | null;
}

export function toApprovalDto(approval: ApprovalEntity): ApprovalDto {
  return {
    approval_id: approvalIdOf(approval),
    kind: approval.kind,
    status: approval.status,
    subject: { type: approval.subjectType, id: approval.subjectId },
    ...fieldsOf(approval, 'summary', 'proposedBy', 'proposedAt', 'decidedBy', 'decidedAt', 'reason'),
    ...fieldsOf(approval, 'expiresAt'),
  };
}
