import { Entity, ForeignKey, Index, Unique } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

/** A passkey of a user: the public half of a key that only the user's device has (WebAuthn). */
@Entity('passkeys')
@Unique('passkeys_credential_id_key', ['credentialId'])
@Index('passkeys_user', ['userId', 'passkeyId'])
export class PasskeyEntity {
  @key.text() passkeyId: string;
  @column.bigint() @ForeignKey(() => UserEntity) userId: string;
  /** What the device calls it. */
  @column.bytes() credentialId: Buffer;
  /** In COSE. */
  @column.bytes() publicKey: Buffer;
  /** How often it has signed, as it says. Always 0 for those that do not count, such as the ones that are synchronized. */
  @column.bigint() signCount: string;
  /** How browsers reach it, which they are told when they have to find it. */
  @column.text({ array: true }) transports: string[];
  /** The model of its device, as it says; zeros for many. */
  @column.text() aaguid: string;
  /** Whether it survives its device, as it says. */
  @column.boolean() isBackedUp: boolean;
  @column.text() name: string;
  @column.time() createdAt: Date;
  @column.time({ nullable: true }) lastUsedAt: Date | null;
}
