import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

const TOKEN_LENGTH_MAX = 128;

/** The body of `POST /user/email/verify`. */
export class VerifyEmailDto {
  /**
   * What the mail has in its link.
   * @example "tpm_6Yb0K4S3n5H1x2dV9mQ7rT8uW0aZcEfGhIjKlMnOpQr"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(TOKEN_LENGTH_MAX)
  token: string;
}

/** One's mail address. */
export class EmailDto {
  /**
   * Null where there is none.
   * @example "alice@example.com"
   */
  @ApiProperty({ type: String, nullable: true })
  email: string | null;

  /**
   * When a link in a mail to it was followed. Null where it was not: then no mail goes to it but such a link.
   * @example "2026-11-25T09:30:00.000Z"
   */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  verified_at: string | null;
}
