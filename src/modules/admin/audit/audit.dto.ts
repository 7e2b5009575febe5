import { ApiProperty } from '@nestjs/swagger';
import type { AuditEntryEntity } from '../../../kit/audit/audit-entry.entity.js';
import { AUDIT_OUTCOMES, type AuditOutcome } from '../../../kit/audit/audit-entry.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { QueryText } from '../../../kit/http/validation/query.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { AUDIT_ENTRY_IDS } from '../../../kit/audit/ids.js';

export class ListAuditQueryDto extends PeriodQueryDto {
  @QueryText(256, 'Who did it: a person such as `user:7` or `client:demo`, or a user name.')
  actor?: string;

  @QueryText(
    128,
    'What was called, by its operation id, such as `approvePayout`; that finds rows of earlier versions, too.',
  )
  action?: string;

  @QueryText(320, 'What it was done to, as `type:id`, such as `user:alice`.')
  target?: string;
}

export class AuditActorDto {
  /**
   * The person; null where nobody was known, as at a failed log-in.
   * @example "user:7"
   */
  @ApiProperty({ type: 'string', nullable: true, example: 'user:7' })
  person: string | null;
  /** What proved it, by kind and id: `session:alice`, `client:demo`, `api_key:key_…`, `grant:app`, `password:alice`, `system:…`. */
  @ApiProperty({ type: 'string', nullable: true, example: 'session:alice' })
  credential: string | null;
  @ApiProperty({ type: 'string', nullable: true, example: '203.0.113.7' })
  address: string | null;
}

export class AuditTargetDto {
  /** @example "payout" */
  type: string;
  /** @example "pay_00000000001" */
  id: string;
}

/** One act of an operator, or one change of a credential. */
export class AuditEntryDto {
  /** @example "aud_00000000001" */
  audit_id: string;
  /** @example "2026-11-01T12:00:00.000Z" */
  at: string;
  actor: AuditActorDto;
  /**
   * What was called, by its operation id; in rows of earlier versions by controller and handler.
   * @example "approvePayout"
   */
  action: string;
  target: AuditTargetDto;
  @ApiProperty({ type: 'string', nullable: true, example: '0b0e5c3e-2b4e-4d4c-8f43-7a2f5c1f1e11' })
  request_id: string | null;
  /** `proposed` waits for a second person; `refused` was asked for and did not happen; `failed` is a credential tried in vain. */
  @ApiProperty({ enum: AUDIT_OUTCOMES })
  outcome: AuditOutcome;
  /** What is worth knowing of it; no secrets. */
  @ApiProperty({ type: 'object', additionalProperties: true, example: { status: 'paid' } })
  details: object;
  /** Its seal in the chain, SHA-256 in hex; null for the moment until it is sealed. */
  @ApiProperty({ type: 'string', nullable: true })
  hash: string | null;
}

export function toAuditEntryDto(entry: AuditEntryEntity, hash: string | null): AuditEntryDto {
  return {
    audit_id: AUDIT_ENTRY_IDS.format(Number(entry.auditId)),
    at: entry.at.toISOString(),
    actor: {
      person: entry.actorPerson,
      credential: entry.actorCredential,
      address: entry.actorAddress,
    },
    action: entry.action,
    target: { type: entry.targetType, id: entry.targetId },
    ...fieldsOf(entry, 'requestId', 'outcome', 'details'),
    hash,
  };
}
