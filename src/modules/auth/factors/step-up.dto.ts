import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { CREDENTIAL_SCHEMA } from '../passkeys/passkey.dto.js';

const LENGTH_MAX = 256;

/** The body of `POST /user/step-up`: a code or a passkey of who has a second factor, the password of others. */
export class StepUpDto {
  /**
   * Of the authenticator app, or a recovery code.
   * @example "123456"
   */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(LENGTH_MAX)
  code?: string;

  /** What a passkey signed for `POST /user/step-up/options`: the credential of `navigator.credentials.get()`, as JSON. */
  @ApiPropertyOptional(CREDENTIAL_SCHEMA)
  @IsOptional()
  @IsObject()
  passkey?: Record<string, unknown>;

  /** @example "alice-password" */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(LENGTH_MAX)
  password?: string;
}
