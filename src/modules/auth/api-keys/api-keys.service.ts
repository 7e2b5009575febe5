import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { digestOf } from '../secrets/secrets.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** How many characters of a key are shown; the first four are its kind. */
export const PREFIX_LENGTH = 8;

export interface NewApiKey {
  readonly apiKeyId: string;
  readonly key: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Manages the keys of the header `api_key`. */
@Injectable()
export class ApiKeysService {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  /** Stores a key with accounts of its own, unless the id is taken. */
  async ensure({ apiKeyId, key, name, scopes }: NewApiKey): Promise<void> {
    if (await this.keys.existsBy({ apiKeyId })) return;
    await this.keys.insert({
      apiKeyId,
      keyHash: digestOf(key),
      prefix: key.slice(0, PREFIX_LENGTH),
      name,
      scopes: [...scopes],
      ownerUserId: null,
      accountOwner: apiKeyKeyOf(apiKeyId),
      accountId: null,
      allowedAddresses: null,
      markets: null,
    });
  }
}

/** The principal key of an API key. */
export function apiKeyKeyOf(apiKeyId: string): string {
  return `api_key:${apiKeyId}`;
}
