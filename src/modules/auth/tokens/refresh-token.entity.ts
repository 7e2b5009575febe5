import { Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { GrantEntity } from './grant.entity.js';

/** A refresh token, valid for one use. A used one is kept until its expiry, so that a second use is detected. */
@Entity('refresh_tokens')
export class RefreshTokenEntity {
  @key.text() tokenHash: string;
  @column.text()
  @ForeignKey(() => GrantEntity, { onDelete: 'CASCADE' })
  @Index('refresh_tokens_grant')
  grantId: string;
  @column.time() @Index('refresh_tokens_expiry') expiresAt: Date;
  /** When it was exchanged for its successor; null while it is good. */
  @column.time({ nullable: true }) rotatedAt: Date | null;
}
