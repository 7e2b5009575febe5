import { Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

/** A recovery code that was not used yet; only its digest. */
@Entity('recovery_codes')
export class RecoveryCodeEntity {
  @key.text() codeHash: string;
  @column.bigint() @ForeignKey(() => UserEntity) @Index('recovery_codes_user') userId: string;
}
