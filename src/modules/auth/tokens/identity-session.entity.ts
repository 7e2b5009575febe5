import { Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';
import { SessionEntity } from './session.entity.js';

/** What an identity provider said at a log-in: for a session, or for a browser whose second factor is awaited. */
@Entity('identity_sessions')
@Index('identity_sessions_identity', ['issuer', 'subject'])
@Index('identity_sessions_provider', ['issuer', 'providerSessionId'], {
  where: 'provider_session_id IS NOT NULL',
})
export class IdentitySessionEntity {
  @key.text() identitySessionId: string;
  /** The name of the `IdentityProvider`. */
  @column.text() provider: string;
  @column.text() issuer: string;
  @column.text() subject: string;
  @column.bigint() @ForeignKey(() => UserEntity) userId: string;
  /** Of the secret in the cookie of a browser that is not logged in yet. */
  @column.text({ nullable: true })
  @Index('identity_sessions_browser', { where: 'browser_hash IS NOT NULL' })
  browserHash: string | null;
  @column.text({ nullable: true })
  @ForeignKey(() => SessionEntity, { onDelete: 'CASCADE' })
  @Index('identity_sessions_session', { unique: true, where: 'session_id IS NOT NULL' })
  sessionId: string | null;
  /** As the provider names its session (`sid`). */
  @column.text({ nullable: true }) providerSessionId: string | null;
  /** Whether the provider saw a second factor. */
  @column.boolean() hasSecondFactor: boolean;
  /** What the provider renews it by, such as a refresh token; null where it cannot be. */
  @column.bytes({ nullable: true }) sealedRenewal: Buffer | null;
  /** When the provider last vouched for it. */
  @column.time() verifiedAt: Date;
  /** A process asks the provider; at this time another one may. */
  @column.time({ nullable: true }) renewingUntil: Date | null;
  /** Of one that no session begins with. */
  @column.time() @Index('identity_sessions_expiry') expiresAt: Date;
}
