import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';

const LENGTH_MAX = 256;

/** The body of `POST /user/step-up`: a code of who has a second factor, the password of others. */
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

  /** @example "alice-password" */
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(LENGTH_MAX)
  password?: string;
}
