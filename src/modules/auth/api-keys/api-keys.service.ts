import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Scope } from '../../../platform/security/scopes.js';
import { digestOf } from '../secrets.js';
import { ApiKeyEntity } from './api-key.entity.js';

/** How much of a key is shown, of which the first four characters say what it is. */
export const PREFIX_LENGTH = 8;

export interface NewApiKey {
  readonly apiKeyId: string;
  readonly key: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/** The keys that callers send in the header `api_key`. */
@Injectable()
export class ApiKeysService {
  constructor(@InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>) {}

  /** Stores a key that acts on accounts of its own, unless its id is taken. */
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
    });
  }
}

/** The key of an API key among all principals. */
export function apiKeyKeyOf(apiKeyId: string): string {
  return `api_key:${apiKeyId}`;
}
