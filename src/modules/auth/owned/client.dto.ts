import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { GRANTABLE_SCOPES, type ScopeCatalogue } from '../../../kit/security/scope.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { ApiError, type FieldError } from '../../../kit/http/errors.js';
import { IsRedirectUri } from '../clients/is-redirect-uri.js';
import { GRANT_TYPES, type GrantType, type OAuthClientEntity } from '../clients/oauth-client.entity.js';

const NAME_LENGTH_MAX = 100;
const REDIRECT_URIS_MAX = 10;

/** Grants that send a browser back to the client. */
const REDIRECTING: readonly GrantType[] = ['authorization_code', 'implicit'];

/** The body of `POST /auth/clients`. */
export class CreateClientDto {
  /**
   * Shown to users whom the client asks for access.
   * @example "Price watcher"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(NAME_LENGTH_MAX)
  @Matches(/^\P{C}*$/u, { message: '$property must not have control or formatting characters' })
  name: string;

  /**
   * How the client may get tokens; `client_credentials` where it is left out. `implicit` has to be asked for:
   * its tokens pass through the address bar and have at most `read:pets` and `write:pets`.
   * @example ["client_credentials"]
   */
  @ApiPropertyOptional({ enum: GRANT_TYPES, isArray: true })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsIn(GRANT_TYPES, { each: true })
  grant_types?: GrantType[];

  /** Where users are sent back to, with `authorization_code` and `implicit`: compared character by character, but for the port of a loopback address where a public client asks for a code. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(REDIRECT_URIS_MAX)
  @ArrayUnique()
  @IsRedirectUri({ each: true })
  redirect_uris?: string[];

  /**
   * What its tokens may do at most: some of what the session that makes it may do.
   * @example ["account:read"]
   */
  @ApiProperty({ enum: GRANTABLE_SCOPES, isArray: true })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayUnique()
  @IsString({ each: true })
  scopes: string[];

  /** A program that cannot keep a secret, such as one in a browser; it gets none. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsBoolean()
  public?: boolean;
}

/** A client of one's own. */
export class ClientDto {
  /** @example "cli_00000000001" */
  client_id: string;

  /** @example "Price watcher" */
  name: string;

  /** Whether it has no secret. */
  public: boolean;

  /**
   * The first characters of its secret; null for a public client.
   * @example "tps_Ab3x"
   */
  prefix: string | null;

  @ApiProperty({ enum: GRANT_TYPES, isArray: true })
  grant_types: GrantType[];

  redirect_uris: string[];

  @ApiProperty({ enum: GRANTABLE_SCOPES, isArray: true })
  scopes: string[];

  /** RFC 3339 UTC. */
  created_at: string;

  /** When a token of it was last used, to the minute or so; null before the first time. */
  last_used_at: string | null;
}

/** A client that was just made. */
export class CreatedClientDto extends ClientDto {
  /** Shown this once; null for a public client. */
  client_secret: string | null;
}

/** What a client is made of, with all that the request left out. Throws `validation_failed` (400) for what does not go together. */
export function clientTermsOf(
  { name, grant_types, redirect_uris, scopes, public: isPublic = false }: CreateClientDto,
  { implicit }: ScopeCatalogue,
): Pick<OAuthClientEntity, 'name' | 'grantTypes' | 'redirectUris'> & {
  readonly scopes: string[];
  readonly isPublic: boolean;
} {
  // Null counts as left out, as in all optional fields.
  const grantTypes = grant_types ?? ['client_credentials'];
  const redirectUris = redirect_uris ?? [];
  const errors: FieldError[] = [];
  const refuse = (field: string, problem: string): number =>
    errors.push({ field, message: `${field} ${problem}` });
  const redirects = grantTypes.some((grant) => REDIRECTING.includes(grant));
  if (redirects && redirectUris.length === 0) {
    refuse('redirect_uris', 'must name at least one address for these grant_types');
  }
  if (!redirects && redirectUris.length > 0) refuse('redirect_uris', 'must be empty for these grant_types');
  if (isPublic && grantTypes.includes('client_credentials')) {
    refuse('grant_types', 'must not have client_credentials for a client without a secret');
  }
  if (grantTypes.includes('refresh_token') && !grantTypes.includes('authorization_code')) {
    refuse('grant_types', 'must have authorization_code where it has refresh_token');
  }
  if (grantTypes.includes('implicit') && !implicit.some((scope) => scopes.includes(scope))) {
    refuse('scopes', `must have one of ${implicit.join(', ')} for the grant implicit`);
  }
  if (errors.length > 0) throw ApiError.validation(errors);
  return { name, grantTypes, redirectUris, scopes, isPublic };
}

export function toClientDto(client: OAuthClientEntity): ClientDto {
  return {
    client_id: client.clientId,
    name: client.name,
    public: client.secretHash === null,
    ...fieldsOf(client, 'prefix', 'grantTypes', 'redirectUris', 'scopes', 'createdAt', 'lastUsedAt'),
  };
}
