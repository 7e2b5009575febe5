import type { PurgedRows } from '../../kit/jobs/purges.js';
import { Entity, ForeignKey, Index } from 'typeorm';
import { NOW, column, key } from '../../kit/database/columns.js';
import { UserEntity } from './user.entity.js';

/**
 * That somebody else set a user's password: for a while the two do not count as two persons. Or that the user did, by a
 * link in a mail: for a while whoever reads that mailbox may know the password.
 */
@Entity('password_resets')
@Index('password_resets_user', ['userId', 'resetAt'])
@Index('password_resets_age', ['resetAt'])
export class PasswordResetEntity {
  @key.identity() readonly resetId: string;
  @column.bigint() @ForeignKey(() => UserEntity) userId: string;
  /** The person, see `personOf`: the user, where it was by mail. */
  @column.text() resetBy: string;
  @column.msTime({ default: NOW }) readonly resetAt: Date;
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
