import type { PurgedRows } from '../../kit/jobs/purges.js';
import { Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import { UserEntity } from './user.entity.js';

/**
 * That somebody else set a user's password: for a while the two do not count as two persons. Or that the user did, by a
 * link in a mail: for a while whoever reads that mailbox may know the password.
 */
@Entity('password_resets')
@Index('password_resets_user', ['userId', 'resetAt'])
@Index('password_resets_age', ['resetAt'])
export class PasswordResetEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'reset_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'password_resets_pkey',
  })
  readonly resetId: string;

  @Column({ name: 'user_id', type: 'bigint' })
  @ForeignKey(() => UserEntity, { name: 'password_resets_user_id_fkey' })
  userId: string;

  /** The person, see `personOf`: the user, where it was by mail. */
  @Column({ name: 'reset_by', type: 'text' })
  resetBy: string;

  @Column({ name: 'reset_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly resetAt: Date;
}

/** What `Persons` asks of them reaches back 30 days. */
export function oldPasswordResets(days: number): PurgedRows {
  return {
    table: 'password_resets',
    key: ['reset_id'],
    over: `reset_at < now() - interval '${days} days'`,
    orderBy: 'reset_at',
  };
}
