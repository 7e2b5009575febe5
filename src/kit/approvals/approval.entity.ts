import { Check, Entity, Index } from 'typeorm';
import { NOW, column, key } from '../database/columns.js';
import { KeyedRows, type KeyedRow } from '../http/idempotency/keyed-rows.js';
import { APPROVAL_IDS } from './ids.js';

/** `failed`: it was approved, and refused when it was to be carried out. The last four are ends. */
export const APPROVAL_STATUSES = ['pending', 'approved', 'rejected', 'expired', 'failed'] as const;

export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** An act that somebody proposed, and what a second person decided about it. */
@Entity('approvals')
@Check('approvals_status_check', `status IN ('pending', 'approved', 'rejected', 'expired', 'failed')`)
@Index('approvals_status', ['status', 'approvalId'])
@Index('approvals_kind', ['kind', 'approvalId'])
@Index('approvals_slot', ['slot'], {
  unique: true,
  where: `status = 'pending' OR (status = 'approved' AND carried_out_at IS NULL)`,
})
@Index('approvals_expiry', ['expiresAt'], { where: `status = 'pending'` })
@Index('approvals_due', ['approvalId'], { where: `status = 'approved' AND carried_out_at IS NULL` })
@Index('approvals_request', ['requestHash'], { unique: true, where: 'request_hash IS NOT NULL' })
export class ApprovalEntity implements KeyedRow {
  @key.identity() readonly approvalId: string;
  /** The name of an `ApprovalType`, maybe of a plugin that is not loaded any more. */
  @column.text() kind: string;
  @column.text({ default: 'pending' }) status: ApprovalStatus;
  @column.text() subjectType: string;
  @column.text() subjectId: string;
  /** The person whose account, case or credential it is about; null where it is nobody's. */
  @column.text({ nullable: true }) owner: string | null;
  /** At most one approval of a slot is pending or being carried out; null for no such limit. */
  @column.text({ nullable: true }) slot: string | null;
  @column.text() summary: string;
  /** The act as proposed; the approver cannot change it. */
  @column.json() payload: object;
  /** A digest of kind, subject and payload. */
  @column.text() fingerprint: string;
  /** See `KeyedRow`. */
  @column.text({ nullable: true }) requestHash: string | null;
  /** The person, see `personOf`. */
  @column.text() proposedBy: string;
  @column.msTime({ default: NOW }) readonly proposedAt: Date;
  /** The person, see `personOf`; null while it is pending, and where nobody decided in time. */
  @column.text({ nullable: true }) decidedBy: string | null;
  @column.msTime({ nullable: true }) decidedAt: Date | null;
  /** The decider's reason; for a failed approval the code of the refusal. */
  @column.text({ nullable: true }) reason: string | null;
  /** Null if the act has states of its own, which end the approval. */
  @column.msTime({ nullable: true }) expiresAt: Date | null;
  /** When the approved act was carried out; the sweep retries it until then. */
  @column.msTime({ nullable: true }) carriedOutAt: Date | null;
}

/** An approval's public id, and the key under which the core carries out the act. */
export function approvalIdOf({ approvalId }: Pick<ApprovalEntity, 'approvalId'>): string {
  return APPROVAL_IDS.format(Number(approvalId));
}

/** Proposals by the `Idempotency-Key` of their request. */
export const KEYED_APPROVALS = new KeyedRows(ApprovalEntity, {
  table: 'approvals',
  key: 'approval_id',
  madeAt: 'proposed_at',
  fingerprintOf: ({ fingerprint }) => fingerprint,
});
