import { Entity, Index } from 'typeorm';
import { ReadOnlyIntegerColumn, ReadOnlyIntegerKeyColumn, ReadOnlyTextColumn } from '../database/columns.js';

/** The place of a row of the audit log in the chain. Written by the sealer, and never changed. */
@Entity('audit_seals')
@Index('audit_seals_row', ['auditId'], { unique: true })
export class AuditSealEntity {
  /** From 1, without gaps. */
  @ReadOnlyIntegerKeyColumn({ name: 'position' })
  readonly position: number;

  @ReadOnlyIntegerColumn({ name: 'audit_id' })
  readonly auditId: number;

  @ReadOnlyTextColumn({ name: 'previous_hash' })
  readonly previousHash: string;

  @ReadOnlyTextColumn({ name: 'hash' })
  readonly hash: string;
}
