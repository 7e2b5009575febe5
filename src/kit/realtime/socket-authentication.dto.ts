import { IsOptional, IsString, MaxLength } from 'class-validator';

const SECRET_LENGTH_MAX = 1_024;
const SIGNATURE_LENGTH_MAX = 2_048;

/** What a client proves itself with: in `auth` of the handshake, or in the message `auth.renew`. */
export class SocketCredentialDto {
  /**
   * An access token; it decides where both are sent.
   * @example "tpa_Zm9ydHktdHdv"
   */
  @IsOptional()
  @IsString()
  @MaxLength(SECRET_LENGTH_MAX)
  token?: string;

  /**
   * An API key.
   * @example "tpk_Zm9ydHktdHdv"
   */
  @IsOptional()
  @IsString()
  @MaxLength(SECRET_LENGTH_MAX)
  api_key?: string;

  /**
   * What the header `Signature-Input` would say of the handshake's request, for clients that cannot send it; with
   * `signature`, and instead of the others.
   */
  @IsOptional()
  @IsString()
  @MaxLength(SIGNATURE_LENGTH_MAX)
  signature_input?: string;

  /** What the header `Signature` would say. */
  @IsOptional()
  @IsString()
  @MaxLength(SIGNATURE_LENGTH_MAX)
  signature?: string;
}
