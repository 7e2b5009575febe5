import { Entity, Index } from 'typeorm';
import { column, key } from '../database/columns.js';
import type { AuditOutcome } from './audit-entry.js';

const READ_ONLY = { insert: false, update: false } as const;

/** An act. Rows are written by `AuditLog` and by the core's commit, and never changed. */
@Entity('audit_log')
@Index('audit_log_at', ['at', 'auditId'])
@Index('audit_log_actor', ['actorPerson', 'at', 'auditId'])
@Index('audit_log_action', ['action', 'at', 'auditId'])
@Index('audit_log_target', ['targetType', 'targetId', 'at', 'auditId'])
export class AuditEntryEntity {
  /** An identity column of Postgres; it stays a safe integer in practice. */
  @key.identity() readonly auditId: string;
  /** To the millisecond, as in the seal. */
  @column.msTime({ ...READ_ONLY, default: () => 'clock_timestamp()' }) readonly at: Date;
  @column.text({ ...READ_ONLY, nullable: true }) readonly actorPerson: string | null;
  @column.text({ ...READ_ONLY, nullable: true }) readonly actorCredential: string | null;
  @column.text({ ...READ_ONLY, nullable: true }) readonly actorAddress: string | null;
  @column.text({ ...READ_ONLY }) readonly action: string;
  @column.text({ ...READ_ONLY }) readonly targetType: string;
  @column.text({ ...READ_ONLY }) readonly targetId: string;
  @column.text({ ...READ_ONLY, nullable: true }) readonly requestId: string | null;
  @column.text({ ...READ_ONLY }) readonly outcome: AuditOutcome;
  @column.json({ ...READ_ONLY }) readonly details: Readonly<Record<string, unknown>>;
}
