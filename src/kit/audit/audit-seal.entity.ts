import { Entity, Index } from 'typeorm';
import { readOnly } from '../database/columns.js';

/** The place of a row of the audit log in the chain. Written by the sealer, and never changed. */
@Entity('audit_seals')
@Index('audit_seals_row', ['auditId'], { unique: true })
export class AuditSealEntity {
  /** From 1, without gaps. */
  @readOnly.integerKey() readonly position: number;
  @readOnly.integer() readonly auditId: number;
  @readOnly.text() readonly previousHash: string;
  @readOnly.text() readonly hash: string;
}
