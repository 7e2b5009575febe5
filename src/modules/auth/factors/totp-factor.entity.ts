import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { UserEntity } from '../../users/user.entity.js';

/** The authenticator app of a user. */
@Entity('totp_factors')
export class TotpFactorEntity {
  @PrimaryColumn({ name: 'user_id', type: 'bigint', primaryKeyConstraintName: 'totp_factors_pkey' })
  @ForeignKey(() => UserEntity, { name: 'totp_factors_user_id_fkey' })
  userId: string;

  /** Base32, by the `SecretBox`. */
  @Column({ name: 'sealed_secret', type: 'bytea' })
  sealedSecret: Buffer;

  /** The time step of the last code that was taken: it and older ones are refused. */
  @Column({ name: 'last_time_step', type: 'bigint', nullable: true })
  lastTimeStep: string | null;

  /** When the first code came; null until then, and nothing asks for codes. */
  @Column({ name: 'enrolled_at', type: 'timestamptz', nullable: true })
  enrolledAt: Date | null;
}
