import { Injectable } from '@nestjs/common';
import type { Page, PageQueryDto } from '../../../platform/http/pagination.js';
import type { Principal } from '../../../platform/security/principal.js';
import { PREFIX_LENGTH } from '../api-keys/api-keys.service.js';
import { digestOf, newSecret } from '../secrets.js';
import { toApiKeyDto, type ApiKeyDto, type CreateApiKeyDto, type CreatedApiKeyDto } from './api-key.dto.js';
import { overlapMsOf, type RotateKeyDto } from './key-terms.dto.js';
import { type KeyHalf, OwnedKeysService } from './owned-keys.service.js';

/** API keys of users. Throws as `OwnedKeysService` does. */
@Injectable()
export class OwnedApiKeysService {
  constructor(private readonly keys: OwnedKeysService) {}

  /** Only this answer has the key. */
  async create(principal: Principal, body: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    const secret = newSecret('tpk');
    const key = await this.keys.create(principal, 'api_key', body, halfOf(secret));
    return { ...toApiKeyDto(key), api_key: secret };
  }

  list(principal: Principal, query: PageQueryDto): Promise<Page<ApiKeyDto>> {
    return this.keys.list(principal, 'api_key', query, toApiKeyDto);
  }

  /** Only this answer has the new key. */
  async rotate(principal: Principal, apiKeyId: string, body: RotateKeyDto): Promise<CreatedApiKeyDto> {
    const secret = newSecret('tpk');
    const key = await this.keys.rotate(principal, 'api_key', apiKeyId, halfOf(secret), overlapMsOf(body));
    return { ...toApiKeyDto(key), api_key: secret };
  }

  delete(principal: Principal, apiKeyId: string): Promise<void> {
    return this.keys.delete(principal, 'api_key', apiKeyId);
  }
}

function halfOf(secret: string): KeyHalf {
  return { keyHash: digestOf(secret), publicKey: null, prefix: secret.slice(0, PREFIX_LENGTH) };
}
