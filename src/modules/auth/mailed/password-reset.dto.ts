import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { PickType } from '@nestjs/swagger';
import { ApiError } from '../../../kit/http/errors.js';
import { ChangePasswordDto } from '../../users/user.dto.js';

const USERNAME_LENGTH_MAX = 64;
const EMAIL_LENGTH_MAX = 254;
const TOKEN_LENGTH_MAX = 128;

/** The body of `POST /user/password/forgot`: one of the two. */
export class ForgotPasswordDto {
  /** @example "alice" */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(USERNAME_LENGTH_MAX)
  username?: string;

  /** Where several users have it, each gets a mail, at most five. */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(EMAIL_LENGTH_MAX)
  email?: string;
}

/** The body of `POST /user/password/reset`. */
export class ResetPasswordDto extends PickType(ChangePasswordDto, ['new_password'] as const) {
  /**
   * What the mail has in its link.
   * @example "tpm_6Yb0K4S3n5H1x2dV9mQ7rT8uW0aZcEfGhIjKlMnOpQr"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(TOKEN_LENGTH_MAX)
  token: string;
}

/** The name or the address that was sent. Throws `validation_failed` (400) for both or neither. */
export function typedBy({ username, email }: ForgotPasswordDto): string {
  const typed = username ?? email;
  if (typed != null && (username == null || email == null)) return typed;
  throw ApiError.validation([{ field: 'username', message: 'send either username or email' }]);
}
