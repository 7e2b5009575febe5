import { Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

/** A device from which a user has logged in. */
@Entity('known_devices')
export class KnownDeviceEntity {
  @key.bigint() @ForeignKey(() => UserEntity) userId: string;
  /** Of the name and the network of the device. */
  @key.text() deviceHash: string;
  /** To the hour. */
  @column.time() @Index('known_devices_last_seen') lastSeenAt: Date;
}
