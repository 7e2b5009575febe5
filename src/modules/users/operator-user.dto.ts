import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import type { FieldValues } from '../../domain/fields.js';
import { FiltersByFields, ShowsFields } from '../../kit/fields/field-marks.js';
import { columnsOf, type RowOf } from '../../kit/database/rows.js';
import { fieldsOf } from '../../kit/http/fields-of.js';
import type { CsvColumn } from '../../kit/http/csv/csv-rows.js';
import { PageQueryDto } from '../../kit/http/pagination.js';
import { ROLES } from '../../kit/security/scope.js';
import { rolesOf } from './operator-standing.js';
import { QueryPrefix } from '../../kit/http/prefix-search.js';
import { principalKeyOf, UserEntity, UserStatus } from './user.entity.js';

export type UserStatusName = keyof typeof UserStatus;

export const USER_STATUS_NAMES = Object.keys(UserStatus) as UserStatusName[];

/** The query of `GET /admin/users`. */
@FiltersByFields('users', 'operators')
export class ListUsersQueryDto extends PageQueryDto {
  /** @example "ali" */
  @QueryPrefix('How the username, the email, the first or the last name begins, whatever the case.')
  q?: string;

  @ApiPropertyOptional({
    enum: USER_STATUS_NAMES,
    description: 'Only users in this state; without it, all who are not closed.',
  })
  @IsOptional()
  @IsIn(USER_STATUS_NAMES)
  status?: UserStatusName;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldValues;
}

/** A user as operators see it. */
@ShowsFields('users', 'operators')
export class OperatorUserDto {
  /** @example 7 */
  @ApiProperty({ type: 'integer', format: 'int64' })
  id: number;

  /**
   * How approvals and the audit log name the user.
   * @example "user:7"
   */
  person: string;

  /** @example "carol" */
  username: string;

  /** @example "Carol" */
  @ApiProperty({ type: String, nullable: true })
  first_name: string | null;

  /** @example "Jones" */
  @ApiProperty({ type: String, nullable: true })
  last_name: string | null;

  /** @example "carol@example.com" */
  @ApiProperty({ type: String, nullable: true })
  email: string | null;

  /** @example "+351 210 000 000" */
  @ApiProperty({ type: String, nullable: true })
  phone: string | null;

  /** Of a closed user, personal fields are erased. */
  @ApiProperty({ enum: USER_STATUS_NAMES })
  status: UserStatusName;

  /** Whether the user may hold the scope `admin`. */
  operator: boolean;

  /** All that the user holds: by `PUT /admin/users/{username}/roles`, and those of `identity_roles`. */
  @ApiProperty({ enum: ROLES, isArray: true })
  roles: string[];

  /** Those that an outside identity gives, by the user's groups: they change where these are kept. */
  @ApiProperty({ enum: ROLES, isArray: true })
  identity_roles: string[];

  /** RFC 3339, UTC. */
  created_at: string;
}

/** The columns of the list as CSV. */
export const USER_COLUMNS = [
  'id',
  'person',
  'username',
  'first_name',
  'last_name',
  'email',
  'phone',
  'status',
  'operator',
  'created_at',
] as const satisfies readonly CsvColumn<OperatorUserDto>[];

/** Of a user as the list reads it. */
export const LISTED_USER = columnsOf(
  UserEntity,
  'userId',
  'username',
  'firstName',
  'lastName',
  'email',
  'phone',
  'userStatus',
  'isOperator',
  'operatorRoles',
  'identityRoles',
  'createdAt',
);

export type UserRow = RowOf<typeof LISTED_USER>;

export function toOperatorUserDto(user: UserRow): OperatorUserDto {
  return {
    id: Number(user.user_id),
    person: principalKeyOf({ userId: user.user_id }),
    ...fieldsOf(user, 'username', 'first_name', 'last_name', 'email', 'phone'),
    status: USER_STATUS_NAMES.find((name) => UserStatus[name] === user.user_status)!,
    operator: user.is_operator,
    roles: rolesOf({
      isOperator: user.is_operator,
      operatorRoles: user.operator_roles,
      identityRoles: user.identity_roles,
    }),
    identity_roles: user.identity_roles,
    created_at: user.created_at.toISOString(),
  };
}
