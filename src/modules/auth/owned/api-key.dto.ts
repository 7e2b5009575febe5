import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { ApiError } from '../../../kit/http/errors.js';
import { isPublicKey } from './signing-key.dto.js';
import type { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { KeyTermsDto, OwnedKeyDto, toOwnedKeyDto } from './key-terms.dto.js';

export const SIGNING_METHODS = ['hmac-sha256', 'ed25519'] as const;
export type SigningMethod = (typeof SIGNING_METHODS)[number];

/** More than the longest form of a key has. */
const PUBLIC_KEY_LENGTH_MAX = 200;
/** What stands before the 32 bytes of an Ed25519 key as SubjectPublicKeyInfo (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const PEM = /^\s*-----BEGIN PUBLIC KEY-----\s+([A-Za-z0-9+/]+={0,2})\s+-----END PUBLIC KEY-----\s*$/;

/** The body of `POST /auth/api-keys`. */
export class CreateApiKeyDto extends KeyTermsDto {
  /**
   * For a key that signs in the dialects of plugins and is never sent in the header `api_key`: by a secret that the answer
   * has, or by a key pair of which the service gets the public half. Left out, the key is sent.
   */
  @ApiPropertyOptional({ enum: SIGNING_METHODS })
  @IsOptional()
  @IsIn(SIGNING_METHODS)
  signing?: SigningMethod;

  /**
   * With `ed25519`, and only then: the public half as SubjectPublicKeyInfo, in PEM or in base64. Such a key is listed,
   * rotated and deleted under `/auth/signing-keys`, and signs by RFC 9421 too.
   */
  @IsOptional()
  @IsString()
  @MaxLength(PUBLIC_KEY_LENGTH_MAX)
  public_key?: string;
}

/** An API key of one's own. */
export class ApiKeyDto extends OwnedKeyDto {
  /** @example "key_00000000001" */
  api_key_id: string;

  /**
   * The first characters of the key.
   * @example "tpk_Ab3x"
   */
  prefix: string;

  /** Null for a key that is sent. */
  @ApiProperty({ enum: SIGNING_METHODS, nullable: true, type: String })
  signing: SigningMethod | null;
}

/** An API key that was just made, or rotated. */
export class CreatedApiKeyDto extends ApiKeyDto {
  /** Shown this once, and sent in the header `api_key`; of a key that signs its id, by which signatures name it. */
  api_key: string;

  /** Of a key that signs by HMAC, shown this once: its characters, as they are, are the key of the HMAC. */
  secret?: string;
}

export function toApiKeyDto(key: ApiKeyEntity): ApiKeyDto {
  const { name, ...rest } = toOwnedKeyDto(key);
  return { api_key_id: key.apiKeyId, name, prefix: key.prefix, signing: signingOf(key), ...rest };
}

/**
 * The 32 bytes of the public half, where the method has one. Throws `validation_failed` (400) for what is no Ed25519 key,
 * or one for which anybody can make signatures, and for one that the method does not take.
 */
export function publicHalfIn({ signing, public_key: text }: CreateApiKeyDto): Buffer | undefined {
  if (signing !== 'ed25519') {
    if (text == null) return undefined;
    throw invalidPublicKey('public_key must be left out unless signing is ed25519');
  }
  const base64 = PEM.exec(text ?? '')?.[1] ?? text ?? '';
  const bytes = Buffer.from(base64, 'base64');
  const raw = bytes.subarray(SPKI_PREFIX.length);
  // Node skips what is no base64, so only the text that the bytes have is that of a key.
  const isSpki =
    bytes.subarray(0, SPKI_PREFIX.length).equals(SPKI_PREFIX) && bytes.toString('base64') === base64;
  if (isSpki && isPublicKey(raw.toString('base64'))) return raw;
  throw invalidPublicKey('public_key must be an Ed25519 public key in PEM or as base64 of its SPKI');
}

function signingOf({ publicKey, sealedSecret }: ApiKeyEntity): SigningMethod | null {
  if (publicKey !== null) return 'ed25519';
  return sealedSecret === null ? null : 'hmac-sha256';
}

function invalidPublicKey(message: string): ApiError {
  return ApiError.validation([{ field: 'public_key', message }]);
}
