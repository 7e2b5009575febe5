import { IsOptional, IsString, MaxLength } from 'class-validator';

const SECRET_LENGTH_MAX = 1_024;

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
}
