import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { storedTable } from '../../kit/fields/stored-fields.js';
import { NOW, column, key } from '../../kit/database/columns.js';

/** The numbers of `userStatus` in the interface. */
export const UserStatus = { active: 0, locked: 1, closed: 2 } as const;

export type UserStatus = (typeof UserStatus)[keyof typeof UserStatus];

/** Where plugins keep what they add to users. */
export const FIELDS_OF_USERS = storedTable('users');

/** A person who may log in. Its username is never given to anyone else, also not after it was closed. */
@Entity('users')
@Check(`username ~ '^[A-Za-z0-9._-]{1,64}$'`)
@Check('user_status IN (0, 1, 2)')
@Check(
  'users_closed',
  `user_status <> 2 OR (first_name IS NULL AND last_name IS NULL AND email IS NULL AND phone IS NULL
    AND password_hash IS NULL AND NOT is_operator)`,
)
@Index('users_creator', ['createdBy', 'createdAt'], { where: 'created_by IS NOT NULL' })
@Index('users_creation_root', ['creationRootId', 'createdAt'], { where: 'creation_root_id IS NOT NULL' })
@Index('users_not_active', ['userStatus', 'userId'], { where: 'user_status <> 0' })
@Index('users_unerased', ['userId'], { where: 'user_status = 2 AND erased_at IS NULL' })
@Index('users_kept_data', ['closedAt'], {
  where: 'user_status = 2 AND erased_at IS NOT NULL AND kept_data_erased_at IS NULL',
})
@Index('users_search_username', { synchronize: false })
@Index('users_search_email', { synchronize: false })
@Index('users_search_first_name', { synchronize: false })
@Index('users_search_last_name', { synchronize: false })
@Index('users_verified_email', { synchronize: false })
@Index('users_operators', ['userId'], { where: 'is_operator' })
export class UserEntity {
  /** An identity column of Postgres, so a safe integer for longer than anyone will ask. */
  @key.identity() readonly userId: string;
  /** Unique without regard to case (the index `users_username` is on its lower case). */
  @column.text() username: string;
  @column.text({ nullable: true }) firstName: string | null;
  @column.text({ nullable: true }) lastName: string | null;
  @column.text({ nullable: true }) email: string | null;
  /** When the user proved to read mail to `email`; null for others. A trigger clears it whenever the address changes. */
  @column.time({ nullable: true }) emailVerifiedAt: Date | null;
  @column.text({ nullable: true }) phone: string | null;
  /** In which pages and mails are; null for that of the service. */
  @column.text({ nullable: true }) language: string | null;
  /** argon2id, in PHC form; null for a user who cannot log in by password. */
  @column.text({ nullable: true }) passwordHash: string | null;
  @column.smallint({ default: UserStatus.active }) userStatus: UserStatus;
  /** Whether the user may hold the scope `admin`; no request field reaches this. */
  @column.boolean({ default: false }) isOperator: boolean;
  /** The other roles that the user holds: names of scopes, maybe of a plugin that is not loaded any more. */
  @column.text({ array: true, default: [] }) operatorRoles: string[];
  /** Those that the user's outside identity gives, `admin` maybe among them; they count in sessions that it began. */
  @column.text({ array: true, default: [] }) identityRoles: string[];
  /** The person who made the user, see `personOf`; null for those whom the service itself brought. */
  @column.text({ nullable: true }) createdBy: string | null;
  /**
   * The user at the root of those who made one another, of whom this one is the last; null for roots themselves:
   * whom an operator or the service made.
   */
  @column.bigint({ nullable: true }) @ForeignKey(() => UserEntity) creationRootId: string | null;
  @column.time({ default: NOW }) readonly createdAt: Date;
  /** Null while it is not closed, and until the erasure where an older version closed it. */
  @column.msTime({ nullable: true }) closedAt: Date | null;
  /** When all personal data was erased that nothing demands to keep. */
  @column.msTime({ nullable: true }) readonly erasedAt: Date | null;
  /** When the rest was, after `KYC_RETENTION_DAYS`. */
  @column.msTime({ nullable: true }) readonly keptDataErasedAt: Date | null;
}

/** The key of a user among all principals: what its accounts, rooms and Idempotency-Keys belong to. */
export function principalKeyOf(user: Pick<UserEntity, 'userId'>): string {
  return `user:${user.userId}`;
}

/** The id of the user that such a key is of; `undefined` for the keys of clients and API keys. */
export function userIdOf(principalKey: string): string | undefined {
  return /^user:(\d+)$/.exec(principalKey)?.[1];
}
