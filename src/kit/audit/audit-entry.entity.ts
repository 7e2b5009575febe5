import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
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
  @PrimaryGeneratedColumn('identity', {
    name: 'audit_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'audit_log_pkey',
  })
  readonly auditId: string;

  /** To the millisecond, as in the seal. */
  @Column({ ...READ_ONLY, name: 'at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  readonly at: Date;

  @Column({ ...READ_ONLY, name: 'actor_person', type: 'text', nullable: true })
  readonly actorPerson: string | null;

  @Column({ ...READ_ONLY, name: 'actor_credential', type: 'text', nullable: true })
  readonly actorCredential: string | null;

  @Column({ ...READ_ONLY, name: 'actor_address', type: 'text', nullable: true })
  readonly actorAddress: string | null;

  @Column({ ...READ_ONLY, name: 'action', type: 'text' })
  readonly action: string;

  @Column({ ...READ_ONLY, name: 'target_type', type: 'text' })
  readonly targetType: string;

  @Column({ ...READ_ONLY, name: 'target_id', type: 'text' })
  readonly targetId: string;

  @Column({ ...READ_ONLY, name: 'request_id', type: 'text', nullable: true })
  readonly requestId: string | null;

  @Column({ ...READ_ONLY, name: 'outcome', type: 'text' })
  readonly outcome: AuditOutcome;

  @Column({ ...READ_ONLY, name: 'details', type: 'jsonb' })
  readonly details: Readonly<Record<string, unknown>>;
}
