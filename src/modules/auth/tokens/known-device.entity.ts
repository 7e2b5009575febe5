import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';

/** A device from which a user has logged in. */
@Entity('known_devices')
export class KnownDeviceEntity {
  @PrimaryColumn({ name: 'user_id', type: 'bigint', primaryKeyConstraintName: 'known_devices_pkey' })
  @ForeignKey(() => UserEntity, { name: 'known_devices_user_id_fkey' })
  userId: string;

  /** Of the name and the network of the device. */
  @PrimaryColumn({ name: 'device_hash', type: 'text', primaryKeyConstraintName: 'known_devices_pkey' })
  deviceHash: string;

  /** To the hour. */
  @Column({ name: 'last_seen_at', type: 'timestamptz' })
  @Index('known_devices_last_seen')
  lastSeenAt: Date;
}
