import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { formatId } from '../../../domain/ids.js';
import { IsNetwork } from '../../../platform/security/allowed-networks.js';
import { IsUtcTime } from '../../../platform/http/validation/is-utc-time.js';
import { GRANTABLE_SCOPES, type Scope } from '../../../platform/security/scopes.js';
import type { ApiKeyEntity } from '../api-keys/api-key.entity.js';

const NAME_LENGTH_MAX = 100;
const ADDRESSES_MAX = 20;

/** The body of `POST /auth/api-keys`. */
export class CreateApiKeyDto {
  /**
   * By which its owner knows it.
   * @example "Spreadsheet"
   */
  @IsString()
  @MinLength(1)
  @MaxLength(NAME_LENGTH_MAX)
  @Matches(/^\P{C}*$/u, { message: '$property must not have control or formatting characters' })
  name: string;

  /**
   * What the key may do: some of what the session that makes it may do. With none it reads pets by their id
   * and the inventory.
   * @example ["read:pets"]
   */
  @ApiPropertyOptional({ enum: GRANTABLE_SCOPES, isArray: true })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @IsString({ each: true })
  scopes?: Scope[];

  /**
   * The one account that it reaches: a trading account of one's own, by its id. It sees no other account, no wallets and
   * no banking. Left out, it reaches all that its owner has.
   * @example "acc_00000000009"
   */
  @IsOptional()
  @IsString()
  @MaxLength(64)
  account_id?: string;

  /**
   * From where it may be used: addresses, or networks as CIDR. Left out, from anywhere.
   * @example ["203.0.113.0/24"]
   */
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(ADDRESSES_MAX)
  @IsNetwork({ each: true })
  allowed_addresses?: string[];

  /** From when on it is refused: RFC 3339 in UTC, ahead of now. Left out, it is good until it is deleted. */
  @ApiPropertyOptional({ format: 'date-time' })
  @IsOptional()
  @IsUtcTime()
  expires_at?: string;
}

/** An API key of one's own. */
export class ApiKeyDto {
  /** @example "key_00000000001" */
  api_key_id: string;

  /** @example "Spreadsheet" */
  name: string;

  /**
   * The first characters of the key.
   * @example "tpk_Ab3x"
   */
  prefix: string;

  @ApiProperty({ enum: GRANTABLE_SCOPES, isArray: true })
  scopes: string[];

  /** The one account that it reaches; null for all that its owner has. */
  @ApiProperty({ type: String, nullable: true, example: 'acc_00000000009' })
  account_id: string | null;

  /** As CIDR; null for anywhere. */
  @ApiProperty({ type: [String], nullable: true })
  allowed_addresses: string[] | null;

  /** RFC 3339 UTC. */
  created_at: string;

  /** From when on it is refused; null for never. */
  expires_at: string | null;

  /** When it was last used, to the minute or so; null before the first time. */
  last_used_at: string | null;
}

/** An API key that was just made. */
export class CreatedApiKeyDto extends ApiKeyDto {
  /** Shown this once; sent in the header `api_key`. */
  api_key: string;
}

export function toApiKeyDto(key: ApiKeyEntity): ApiKeyDto {
  return {
    api_key_id: key.apiKeyId,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    account_id: key.accountId === null ? null : formatId('acc', Number(key.accountId)),
    allowed_addresses: key.allowedAddresses,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
  };
}
