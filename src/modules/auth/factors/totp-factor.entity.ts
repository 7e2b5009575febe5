import { Entity, ForeignKey } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { UserEntity } from '../../users/user.entity.js';

/** The authenticator app of a user. */
@Entity('totp_factors')
export class TotpFactorEntity {
  @key.bigint() @ForeignKey(() => UserEntity) userId: string;
  /** Base32, by the `SecretBox`. */
  @column.bytes() sealedSecret: Buffer;
  /** The time step of the last code that was taken: it and older ones are refused. */
  @column.bigint({ nullable: true }) lastTimeStep: string | null;
  /** When the first code came; null until then, and nothing asks for codes. */
  @column.time({ nullable: true }) enrolledAt: Date | null;
}
