import type { ApiKeyEntity } from '../api-keys/api-key.entity.js';
import { KeyTermsDto, OwnedKeyDto, toOwnedKeyDto } from './key-terms.dto.js';

/** The body of `POST /auth/api-keys`. */
export class CreateApiKeyDto extends KeyTermsDto {}

/** An API key of one's own. */
export class ApiKeyDto extends OwnedKeyDto {
  /** @example "key_00000000001" */
  api_key_id: string;

  /**
   * The first characters of the key.
   * @example "tpk_Ab3x"
   */
  prefix: string;
}

/** An API key that was just made, or rotated. */
export class CreatedApiKeyDto extends ApiKeyDto {
  /** Shown this once; sent in the header `api_key`. */
  api_key: string;
}

export function toApiKeyDto(key: ApiKeyEntity): ApiKeyDto {
  const { name, ...rest } = toOwnedKeyDto(key);
  return { api_key_id: key.apiKeyId, name, prefix: key.prefix, ...rest };
}
