import { Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import { UserEntity } from '../../../users/user.entity.js';

/** A passkey of a user: the public half of a key that only the user's device has (WebAuthn). */
@Entity('passkeys')
@Unique('passkeys_credential_id_key', ['credentialId'])
@Index('passkeys_user', ['userId', 'passkeyId'])
export class PasskeyEntity {
  @PrimaryColumn({ name: 'passkey_id', type: 'text', primaryKeyConstraintName: 'passkeys_pkey' })
  passkeyId: string;

  @Column({ name: 'user_id', type: 'bigint' })
  @ForeignKey(() => UserEntity, { name: 'passkeys_user_id_fkey' })
  userId: string;

  /** What the device calls it. */
  @Column({ name: 'credential_id', type: 'bytea' })
  credentialId: Buffer;

  /** In COSE. */
  @Column({ name: 'public_key', type: 'bytea' })
  publicKey: Buffer;

  /** How often it has signed, as it says. Always 0 for those that do not count, such as the ones that are synchronized. */
  @Column({ name: 'sign_count', type: 'bigint' })
  signCount: string;

  /** How browsers reach it, which they are told when they have to find it. */
  @Column({ name: 'transports', type: 'text', array: true })
  transports: string[];

  /** The model of its device, as it says; zeros for many. */
  @Column({ name: 'aaguid', type: 'text' })
  aaguid: string;

  /** Whether it survives its device, as it says. */
  @Column({ name: 'is_backed_up', type: 'boolean' })
  isBackedUp: boolean;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;
}
