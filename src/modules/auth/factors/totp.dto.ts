import { IsString, MaxLength, MinLength } from 'class-validator';

/** As long as a recovery code with room for how people type it. */
const CODE_LENGTH_MAX = 64;

/** Whether one has an authenticator app. */
export class TotpDto {
  /** Whether log-ins ask for a code. */
  is_enrolled: boolean;

  /** When the first code was taken; null without an app. */
  enrolled_at: string | null;

  /** How many recovery codes are left. */
  recovery_codes_left: number;
}

/** What an authenticator app needs; shown this once. */
export class TotpSecretDto {
  /**
   * For a QR code that the app reads.
   * @example "otpauth://totp/Tradepost:alice?issuer=Tradepost&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
   */
  otpauth_url: string;

  /**
   * The same secret in base32, for who types it.
   * @example "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
   */
  secret: string;
}

/** The body of `POST /user/totp/confirm`. */
export class ConfirmTotpDto {
  /**
   * What the app shows now.
   * @example "123456"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(CODE_LENGTH_MAX)
  code: string;
}

/** Codes for who has lost the app; shown this once. */
export class RecoveryCodesDto {
  /**
   * Each is good for one log-in, in the place of a code of the app.
   * @example ["1f0c-92ab-77de-0c41-9b35"]
   */
  recovery_codes: string[];
}
