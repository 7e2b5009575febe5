import { Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

/** A log-in for which a browser is at a provider. It is taken once, by the browser that began it. */
@Entity('identity_log_ins')
export class IdentityLogInEntity {
  @key.text() stateHash: string;
  /** Of the secret in the browser's cookie. */
  @column.text() browserHash: string;
  @column.text() provider: string;
  /** Of the authorization request to go on with. */
  @column.text() query: string;
  /** Whether the user had to prove to be there, whatever session the provider has. */
  @column.boolean() isFresh: boolean;
  /** The user to bind the identity to; null for a log-in. */
  @column.bigint({ nullable: true }) @ForeignKey(() => UserEntity) linkedUserId: string | null;
  @column.time() beganAt: Date;
  @column.time() @Index('identity_log_ins_expiry') expiresAt: Date;
}
