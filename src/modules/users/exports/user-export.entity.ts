import { Entity, ForeignKey, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../user.entity.js';

export const EXPORT_STATUSES = ['pending', 'running', 'ready', 'failed', 'expired'] as const;

/** `expired`: it was ready for a day, and its file is deleted. */
export type ExportStatus = (typeof EXPORT_STATUSES)[number];

/** An export that a user asked for. Its file is encrypted. */
@Entity('user_exports')
@Index('user_exports_user', ['userId', 'exportId'])
@Index('user_exports_running', ['userId'], { unique: true, where: `status IN ('pending', 'running')` })
@Index('user_exports_expiry', ['expiresAt'], { where: `status = 'ready'` })
@Index('user_exports_created', ['createdAt'])
export class UserExportEntity {
  @key.identity() readonly exportId: string;
  @column.bigint() @ForeignKey(() => UserEntity) userId: string;
  @column.text({ default: 'pending', oneOf: EXPORT_STATUSES }) status: ExportStatus;
  @column.integer({ default: 0 }) sectionsDone: number;
  @column.integer() sectionsTotal: number;
  @column.bigint({ default: 0 }) rowsDone: string;
  /** That of the present run, also before it is whole. */
  @column.text({ nullable: true }) fileName: string | null;
  /** The key of the file, sealed; null once the file is deleted. */
  @column.bytes({ nullable: true }) sealedKey: Buffer | null;
  /** Of the zip itself, not of the encrypted file. */
  @column.bigint({ nullable: true }) sizeBytes: string | null;
  @column.text({ nullable: true }) sha256: string | null;
  /** Goes up when the link to the file has to end: each number gives another ticket. */
  @column.integer({ default: 1 }) linkNumber: number;
  /** The digest of the ticket in the link; null until its owner has looked at the link. */
  @column.text({ nullable: true }) ticketHash: string | null;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  @column.msTime({ default: NOW }) updatedAt: Date;
  @column.msTime({ nullable: true }) readyAt: Date | null;
  @column.msTime({ nullable: true }) expiresAt: Date | null;
}
