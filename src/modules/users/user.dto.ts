import { ApiHideProperty, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsOptional, IsString, Matches, MaxLength, MinLength, NotEquals } from 'class-validator';
import type { FieldChanges } from '../../domain/fields.js';
import { AcceptsFields, ShowsFields } from '../../kit/fields/field-marks.js';
import { isStorableText } from '../../kit/storable-text.js';
import { UserStatus, type UserEntity } from './user.entity.js';
import { IsNewUsername, USERNAME_PATTERN } from './username.js';

/** What every representation of a user has for a password; sent back, it changes nothing. */
export const PASSWORD_SHOWN = '********';

/** The least that `PASSWORD_LENGTH_MIN` may be. */
const PASSWORD_LENGTH_MIN = 5;
const PASSWORD_LENGTH_MAX = 256;

const NAME_LENGTH_MAX = 100;
const EMAIL_LENGTH_MAX = 254;
const PHONE_LENGTH_MAX = 50;
const LANGUAGE_LENGTH_MAX = 35;

/** What users say of themselves, and what of a representation they may send back. */
class UserFieldsDto {
  /** Ignored: the service gives it. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64' })
  @IsOptional()
  @IsInt()
  id?: number;

  /** @example "Carol" */
  @IsOptional()
  @IsString()
  @MaxLength(NAME_LENGTH_MAX)
  firstName?: string;

  /** @example "Jones" */
  @IsOptional()
  @IsString()
  @MaxLength(NAME_LENGTH_MAX)
  lastName?: string;

  /**
   * Any text. Mail goes only to an address that its user has verified, see `GET /user/email`.
   * @example "carol@example.com"
   */
  @IsOptional()
  @IsString()
  @MaxLength(EMAIL_LENGTH_MAX)
  email?: string;

  /** @example "+351 210 000 000" */
  @IsOptional()
  @IsString()
  @MaxLength(PHONE_LENGTH_MAX)
  phone?: string;

  /**
   * In which pages and mails are: one that the service has, such as `en` or `de`.
   * @example "en"
   */
  @IsOptional()
  @IsString()
  @MaxLength(LANGUAGE_LENGTH_MAX)
  language?: string;

  /** Ignored: the service sets it. */
  @ApiPropertyOptional({ type: 'integer', format: 'int32' })
  @IsOptional()
  @IsInt()
  userStatus?: number;
}

/** What of an outside profile can be kept here as it is. */
export function profileWithin({ firstName, lastName, email }: UserFieldsDto): UpdateUserDto {
  const isWithin = (text: string | undefined, lengthMax: number): boolean =>
    text !== undefined && text.length <= lengthMax && isStorableText(text);
  return {
    ...(isWithin(firstName, NAME_LENGTH_MAX) && { firstName }),
    ...(isWithin(lastName, NAME_LENGTH_MAX) && { lastName }),
    ...(isWithin(email, EMAIL_LENGTH_MAX) && { email }),
  };
}

/** The body of `POST /user`, and each item of the bulk routes. */
@AcceptsFields('users', 'operators')
export class CreateUserDto extends UserFieldsDto {
  /**
   * Unique without regard to case, for good: also the name of a closed user is never given again.
   * @example "carol"
   */
  @ApiProperty({ pattern: USERNAME_PATTERN.source })
  @IsNewUsername()
  username: string;

  /**
   * Anything but the constant that answers show.
   * @example "carol-password"
   */
  @IsString()
  @MinLength(PASSWORD_LENGTH_MIN)
  @MaxLength(PASSWORD_LENGTH_MAX)
  @NotEquals(PASSWORD_SHOWN, { message: 'password must not be the constant that answers show' })
  password: string;

  /** Those that plugins have declared. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

/** The body of `PUT /user/{username}`: what is left out, or null, stays as it is. */
@AcceptsFields('users', 'operators')
export class UpdateUserDto extends UserFieldsDto {
  /** May be sent back as it is; it never changes. */
  @IsOptional()
  @IsString()
  username?: string;

  /**
   * Another password needs a session that was logged in by HTTP Basic within ten minutes; see also `POST
   * /user/password`. It ends all other sessions and grants of the user. The constant that answers show changes
   * nothing.
   */
  @IsOptional()
  @IsString()
  @MinLength(PASSWORD_LENGTH_MIN)
  @MaxLength(PASSWORD_LENGTH_MAX)
  password?: string;

  /** Those that plugins have declared; null removes a value. */
  @ApiHideProperty()
  fields?: FieldChanges;
}

/** The body of `POST /user/password`. */
export class ChangePasswordDto {
  /** @example "alice-password" */
  @IsString()
  @MinLength(1)
  @MaxLength(PASSWORD_LENGTH_MAX)
  current_password: string;

  /** @example "another password of alice" */
  @IsString()
  @MinLength(PASSWORD_LENGTH_MIN)
  @MaxLength(PASSWORD_LENGTH_MAX)
  @NotEquals(PASSWORD_SHOWN, { message: 'new_password must not be the constant that answers show' })
  new_password: string;
}

const REASON_LENGTH_MAX = 500;

/** The body of `POST /admin/users/{username}/lock`. */
export class LockUserDto {
  /**
   * Why, for the audit log.
   * @example "A stolen phone was reported."
   */
  @IsString()
  @MinLength(1)
  @MaxLength(REASON_LENGTH_MAX)
  reason: string;
}

/** The body of `POST /admin/users/{username}/unlock`. */
export class UnlockUserDto {
  /**
   * Why, for the audit log.
   * @example "The phone was found."
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(REASON_LENGTH_MAX)
  reason?: string;
}

/** The body of `POST /admin/operators`. */
export class MakeOperatorDto {
  /** @example "bob" */
  @Matches(USERNAME_PATTERN)
  username: string;
}

/** A user, with the fields of the Petstore's `User`. */
@ShowsFields('users')
export class UserDto {
  /** @example 7 */
  @ApiProperty({ type: 'integer', format: 'int64' })
  id: number;

  /** @example "carol" */
  username: string;

  /** @example "Carol" */
  firstName?: string;

  /** @example "Jones" */
  lastName?: string;

  /** @example "carol@example.com" */
  email?: string;

  /** Always this constant. */
  @ApiProperty({ enum: [PASSWORD_SHOWN] })
  password: typeof PASSWORD_SHOWN;

  /** @example "+351 210 000 000" */
  phone?: string;

  /**
   * Left out: that of the service.
   * @example "en"
   */
  language?: string;

  /**
   * 0 active, 1 locked, 2 closed.
   * @example 0
   */
  @ApiProperty({ type: 'integer', format: 'int32', enum: Object.values(UserStatus) })
  userStatus: UserStatus;
}

export function toUserDto(user: UserEntity): UserDto {
  return {
    id: Number(user.userId),
    username: user.username,
    ...(user.firstName !== null && { firstName: user.firstName }),
    ...(user.lastName !== null && { lastName: user.lastName }),
    ...(user.email !== null && { email: user.email }),
    password: PASSWORD_SHOWN,
    ...(user.phone !== null && { phone: user.phone }),
    ...(user.language !== null && { language: user.language }),
    userStatus: user.userStatus,
  };
}
