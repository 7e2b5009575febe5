import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Page, PageQueryDto } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { PREFIX_LENGTH } from '../api-keys/api-keys.service.js';
import { digestOf, newSecret } from '../secrets/secrets.js';
import { SharedSecrets } from '../signatures/shared-secrets.js';
import {
  publicHalfIn,
  toApiKeyDto,
  type ApiKeyDto,
  type CreateApiKeyDto,
  type CreatedApiKeyDto,
} from './api-key.dto.js';
import { overlapMsOf, type RotateKeyDto } from './key-terms.dto.js';
import { type HalvedKey, type KeyHalf, OwnedKeysService } from './owned-keys.service.js';

/** A half, and what its owner is told of it this once. */
interface MadeHalf {
  readonly half: KeyHalf;
  readonly shown: Pick<CreatedApiKeyDto, 'api_key' | 'secret'>;
}

/** API keys of users. Throws as `OwnedKeysService` does. */
@Injectable()
export class OwnedApiKeysService {
  constructor(
    private readonly keys: OwnedKeysService,
    private readonly secrets: SharedSecrets,
  ) {}

  /** Only this answer has the key, or its secret. Throws `validation_failed` (400) for a public half that is none. */
  async create(principal: Principal, body: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    const { signing, public_key: _publicKey, ...terms } = body;
    const publicKey = publicHalfIn(body);
    if (publicKey !== undefined) {
      const half = publicHalf(publicKey);
      const key = await this.keys.create(principal, 'signing_key', terms, () => half);
      return { ...toApiKeyDto(key), api_key: key.apiKeyId };
    }
    const isShared = signing === 'hmac-sha256';
    let shown: MadeHalf['shown'];
    const key = await this.keys.create(principal, 'api_key', terms, async (manager, { apiKeyId }) => {
      const made = isShared ? await this.sharedHalf(manager, apiKeyId) : sentHalf();
      ({ shown } = made);
      return made.half;
    });
    return { ...toApiKeyDto(key), ...shown! };
  }

  list(principal: Principal, query: PageQueryDto): Promise<Page<ApiKeyDto>> {
    return this.keys.list(principal, 'api_key', query, toApiKeyDto);
  }

  /** Only this answer has the new key, or its secret. */
  async rotate(principal: Principal, apiKeyId: string, body: RotateKeyDto): Promise<CreatedApiKeyDto> {
    let shown: MadeHalf['shown'];
    const makeHalf = async (manager: EntityManager, { former }: HalvedKey): Promise<KeyHalf> => {
      const isShared = former?.sealedSecret != null;
      const made = isShared ? await this.sharedHalf(manager, apiKeyId) : sentHalf();
      ({ shown } = made);
      return made.half;
    };
    const key = await this.keys.rotate(principal, 'api_key', apiKeyId, makeHalf, overlapMsOf(body));
    return { ...toApiKeyDto(key), ...shown! };
  }

  delete(principal: Principal, apiKeyId: string): Promise<void> {
    return this.keys.delete(principal, 'api_key', apiKeyId);
  }

  /** Named by the id of its key, so nothing of the secret is shown again. */
  private async sharedHalf(manager: EntityManager, apiKeyId: string): Promise<MadeHalf> {
    const { secret, sealed } = await this.secrets.begin(manager, apiKeyId);
    const half = { keyHash: null, publicKey: null, sealedSecret: sealed, prefix: 'tph_' };
    return { half, shown: { api_key: apiKeyId, secret } };
  }
}

function sentHalf(): MadeHalf {
  const key = newSecret('tpk');
  const half = {
    keyHash: digestOf(key),
    publicKey: null,
    sealedSecret: null,
    prefix: key.slice(0, PREFIX_LENGTH),
  };
  return { half, shown: { api_key: key } };
}

function publicHalf(publicKey: Buffer): KeyHalf {
  const prefix = publicKey.toString('base64').slice(0, PREFIX_LENGTH);
  return { keyHash: null, publicKey, sealedSecret: null, prefix };
}
