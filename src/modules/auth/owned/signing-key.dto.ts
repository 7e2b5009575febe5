import { ed25519 } from '@noble/curves/ed25519.js';
import { buildMessage, ValidateBy } from 'class-validator';
import type { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { KeyTermsDto, OwnedKeyDto, RotateKeyDto, toOwnedKeyDto } from './key-terms.dto.js';

/** 32 bytes. */
const PUBLIC_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** The body of `POST /auth/signing-keys`. */
export class CreateSigningKeyDto extends KeyTermsDto {
  /**
   * The public half of an Ed25519 key: its 32 bytes in base64. The private half stays with you.
   * @example "JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="
   */
  @IsPublicKey()
  public_key: string;
}

/** The body of `POST /auth/signing-keys/{signing_key_id}/rotate`. */
export class RotateSigningKeyDto extends RotateKeyDto {
  /**
   * The public half of the key that is used from now on.
   * @example "JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="
   */
  @IsPublicKey()
  public_key: string;
}

/** A signing key of one's own. */
export class SigningKeyDto extends OwnedKeyDto {
  /**
   * What signatures name as their `keyid`.
   * @example "key_00000000002"
   */
  signing_key_id: string;

  /**
   * In base64.
   * @example "JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="
   */
  public_key: string;
}

export function publicKeyIn({ public_key }: CreateSigningKeyDto | RotateSigningKeyDto): Buffer {
  return Buffer.from(public_key, 'base64');
}

export function toSigningKeyDto(key: ApiKeyEntity): SigningKeyDto {
  const { name, ...rest } = toOwnedKeyDto(key);
  return {
    signing_key_id: key.apiKeyId,
    name,
    public_key: key.publicKey!.toString('base64'),
    ...rest,
  };
}

/** A point of the curve in its only form, and not one of the few for which anybody can make signatures. */
function IsPublicKey(): PropertyDecorator {
  return ValidateBy({
    name: 'isPublicKey',
    validator: {
      validate: (value) => typeof value === 'string' && isPublicKey(value),
      defaultMessage: buildMessage(() => '$property must be the 32 bytes of an Ed25519 public key in base64'),
    },
  });
}

/** Whether it is such a point, as 32 bytes in base64. */
export function isPublicKey(text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  if (!PUBLIC_KEY.test(text) || bytes.toString('base64') !== text) return false;
  try {
    const point = ed25519.Point.fromBytes(bytes);
    return !point.isSmallOrder() && point.isTorsionFree();
  } catch {
    return false;
  }
}
