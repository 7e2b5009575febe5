import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { GrantEntity } from './grant.entity.js';

/** A refresh token, valid for one use. A used one is kept until its expiry, so that a second use is detected. */
@Entity('refresh_tokens')
export class RefreshTokenEntity {
  @PrimaryColumn({ name: 'token_hash', type: 'text', primaryKeyConstraintName: 'refresh_tokens_pkey' })
  tokenHash: string;

  @Column({ name: 'grant_id', type: 'text' })
  @ForeignKey(() => GrantEntity, { name: 'refresh_tokens_grant_id_fkey', onDelete: 'CASCADE' })
  @Index('refresh_tokens_grant')
  grantId: string;

  @Column({ name: 'expires_at', type: 'timestamptz' })
  @Index('refresh_tokens_expiry')
  expiresAt: Date;

  /** When it was exchanged for its successor; null while it is good. */
  @Column({ name: 'rotated_at', type: 'timestamptz', nullable: true })
  rotatedAt: Date | null;
}
