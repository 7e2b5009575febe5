import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { UserEntity } from '../user.entity.js';

export const EXPORT_STATUSES = ['pending', 'running', 'ready', 'failed', 'expired'] as const;

/** `expired`: it was ready for a day, and its file is deleted. */
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

/** An export that a user asked for. Its file is encrypted. */
@Entity('user_exports')
@Check('user_exports_status_check', `status IN ('pending', 'running', 'ready', 'failed', 'expired')`)
@Index('user_exports_user', ['userId', 'exportId'])
@Index('user_exports_running', ['userId'], { unique: true, where: `status IN ('pending', 'running')` })
@Index('user_exports_expiry', ['expiresAt'], { where: `status = 'ready'` })
@Index('user_exports_created', ['createdAt'])
export class UserExportEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'export_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'user_exports_pkey',
  })
  readonly exportId: string;

  @Column({ name: 'user_id', type: 'bigint' })
  @ForeignKey(() => UserEntity, { name: 'user_exports_user_id_fkey' })
  userId: string;

  @Column({ name: 'status', type: 'text', default: 'pending' })
  status: ExportStatus;

  @Column({ name: 'sections_done', type: 'integer', default: 0 })
  sectionsDone: number;

  @Column({ name: 'sections_total', type: 'integer' })
  sectionsTotal: number;

  @Column({ name: 'rows_done', type: 'bigint', default: 0 })
  rowsDone: string;

  /** That of the present run, also before it is whole. */
  @Column({ name: 'file_name', type: 'text', nullable: true })
  fileName: string | null;

  /** The key of the file, sealed; null once the file is deleted. */
  @Column({ name: 'sealed_key', type: 'bytea', nullable: true })
  sealedKey: Buffer | null;

  /** Of the zip itself, not of the encrypted file. */
  @Column({ name: 'size_bytes', type: 'bigint', nullable: true })
  sizeBytes: string | null;

  @Column({ name: 'sha256', type: 'text', nullable: true })
  sha256: string | null;

  /** Goes up when the link to the file has to end: each number gives another ticket. */
  @Column({ name: 'link_number', type: 'integer', default: 1 })
  linkNumber: number;

  /** The digest of the ticket in the link; null until its owner has looked at the link. */
  @Column({ name: 'ticket_hash', type: 'text', nullable: true })
  ticketHash: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;

  @Column({ name: 'ready_at', type: 'timestamptz', precision: 3, nullable: true })
  readyAt: Date | null;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;
}
