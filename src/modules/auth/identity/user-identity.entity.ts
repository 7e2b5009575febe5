import { Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

/**
 * Who a user is at an identity provider: one identity of a user, one user of an identity. It is found by issuer and subject
 * alone, which a provider never gives to somebody else; names and mail addresses may change hands.
 */
@Entity('user_identities')
export class UserIdentityEntity {
  @key.text() issuer: string;
  @key.text() subject: string;
  /** The name of the `IdentityProvider`. */
  @column.text() provider: string;
  @column.bigint()
  @ForeignKey(() => UserEntity)
  @Index('user_identities_user', { unique: true })
  userId: string;
  /** As of its last token. */
  @column.text({ array: true, default: [] }) groups: string[];
  @column.time() boundAt: Date;
}
