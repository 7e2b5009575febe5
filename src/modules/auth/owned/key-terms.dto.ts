import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
} from 'class-validator';
import { MARKET_ID } from '../../../domain/market/market-id.js';
import { IsNetwork, networkIn } from '../../../kit/security/allowed-networks.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { ApiError } from '../../../kit/http/errors.js';
import { IsUtcTime, parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { GRANTABLE_SCOPES } from '../../../kit/security/scope.js';
import type { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

const NAME_LENGTH_MAX = 100;
const ADDRESSES_MAX = 20;
const MARKETS_MAX = 50;
/** A week. */
const OVERLAP_S_MAX = 604_800;
const OVERLAP_S = 86_400;

/** What a key may do, and where, and for how long. */
export class KeyTermsDto {
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
  scopes?: string[];

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

  /**
   * The markets on which it may place, amend, preview and cancel orders, ask for quotes and accept them. Left out, on
   * all. They need not exist yet. What it may read, and do elsewhere, its scopes decide.
   * @example ["BTC-USD"]
   */
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(MARKETS_MAX)
  @ArrayUnique()
  @Matches(MARKET_ID, { each: true, message: 'each value in $property must be the id of a market' })
  markets?: string[];

  /** From when on it is refused: RFC 3339 in UTC, ahead of now. Left out, it is good until it is deleted. */
  @ApiPropertyOptional({ format: 'date-time' })
  @IsOptional()
  @IsUtcTime()
  expires_at?: string;
}

/** For how long the former half of a key goes on to be good. */
export class RotateKeyDto {
  /**
   * In seconds, a day where it is left out, and never beyond the expiry of the key; 0 ends the former one at once.
   * @example 3600
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 0, maximum: OVERLAP_S_MAX, default: OVERLAP_S })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(OVERLAP_S_MAX)
  overlap_seconds?: number;
}

/** What keys of both kinds have. */
export class OwnedKeyDto {
  /** @example "Spreadsheet" */
  name: string;

  @ApiProperty({ enum: GRANTABLE_SCOPES, isArray: true })
  scopes: string[];

  /** The one account that it reaches; null for all that its owner has. */
  @ApiProperty({ type: String, nullable: true, example: 'acc_00000000009' })
  account_id: string | null;

  /** As CIDR; null for anywhere. */
  @ApiProperty({ type: [String], nullable: true })
  allowed_addresses: string[] | null;

  /** The markets that it may trade on; null for all. */
  @ApiProperty({ type: [String], nullable: true })
  markets: string[] | null;

  /** RFC 3339 UTC. */
  created_at: string;

  /** From when on it is refused; null for never. */
  expires_at: string | null;

  /** When it was last used, to the minute or so; null before the first time. */
  last_used_at: string | null;

  /** Until when the one before the last rotation is good; null where there is none any more. */
  previous_expires_at: string | null;

  /** When that one was last used since the rotation, to the minute or so: once this stands still, all have moved. */
  previous_last_used_at: string | null;
}

/** As they are stored. Throws `validation_failed` (400) for an expiry that is past. */
export function keyTermsOf({ name, scopes, allowed_addresses, markets, expires_at }: KeyTermsDto): Pick<
  ApiKeyEntity,
  'name' | 'allowedAddresses' | 'markets' | 'expiresAt'
> & {
  readonly scopes: string[];
} {
  return {
    name,
    // Null counts as left out, as in all optional fields.
    scopes: scopes ?? [],
    allowedAddresses: allowed_addresses?.map((text) => networkIn(text)!) ?? null,
    markets: markets ?? null,
    expiresAt: expires_at == null ? null : timeAhead(expires_at),
  };
}

export function overlapMsOf({ overlap_seconds }: RotateKeyDto): number {
  return (overlap_seconds ?? OVERLAP_S) * 1000;
}

export function toOwnedKeyDto(key: ApiKeyEntity): OwnedKeyDto {
  const isPreviousGood = key.previousExpiresAt !== null && key.previousExpiresAt.getTime() > Date.now();
  return {
    name: key.name,
    scopes: key.scopes,
    account_id: key.accountId === null ? null : ACCOUNT_IDS.format(Number(key.accountId)),
    ...fieldsOf(key, 'allowedAddresses', 'markets', 'createdAt', 'expiresAt', 'lastUsedAt'),
    previous_expires_at: isPreviousGood ? key.previousExpiresAt!.toISOString() : null,
    previous_last_used_at: isPreviousGood ? (key.previousLastUsedAt?.toISOString() ?? null) : null,
  };
}

function timeAhead(text: string): Date {
  const time = new Date(parseUtcTime(text) as number);
  if (time.getTime() > Date.now()) return time;
  throw ApiError.validation([{ field: 'expires_at', message: 'expires_at must be ahead of now' }]);
}
