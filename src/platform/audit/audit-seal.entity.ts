import { Entity, Index } from 'typeorm';
import { IntegerColumn, IntegerKeyColumn, TextColumn } from '../database/columns.js';

/** The place of a row of the audit log in the chain. Written by the sealer, and never changed. */
@Entity('audit_seals')
@Index('audit_seals_row', ['auditId'], { unique: true })
export class AuditSealEntity {
  /** From 1, without gaps. */
  @IntegerKeyColumn({ name: 'position' })
  readonly position: number;

  @IntegerColumn({ name: 'audit_id' })
  readonly auditId: number;

  @TextColumn({ name: 'previous_hash' })
  readonly previousHash: string;

  @TextColumn({ name: 'hash' })
  readonly hash: string;
}
