import { Injectable } from '@nestjs/common';
import type { Page, PageQueryDto } from '../../../kit/http/pagination.js';
import type { Principal } from '../../../kit/security/principal.js';
import { PREFIX_LENGTH } from '../api-keys/api-keys.service.js';
import { overlapMsOf } from './key-terms.dto.js';
import { type KeyHalf, OwnedKeysService } from './owned-keys.service.js';
import {
  type CreateSigningKeyDto,
  publicKeyIn,
  type RotateSigningKeyDto,
  type SigningKeyDto,
  toSigningKeyDto,
} from './signing-key.dto.js';

/** Signing keys of users. Throws as `OwnedKeysService` does. */
@Injectable()
export class OwnedSigningKeysService {
  constructor(private readonly keys: OwnedKeysService) {}

  async create(principal: Principal, body: CreateSigningKeyDto): Promise<SigningKeyDto> {
    return toSigningKeyDto(await this.keys.create(principal, 'signing_key', body, () => halfOf(body)));
  }

  list(principal: Principal, query: PageQueryDto): Promise<Page<SigningKeyDto>> {
    return this.keys.list(principal, 'signing_key', query, toSigningKeyDto);
  }

  async rotate(principal: Principal, keyId: string, body: RotateSigningKeyDto): Promise<SigningKeyDto> {
    const key = await this.keys.rotate(
      principal,
      'signing_key',
      keyId,
      () => halfOf(body),
      overlapMsOf(body),
    );
    return toSigningKeyDto(key);
  }

  delete(principal: Principal, keyId: string): Promise<void> {
    return this.keys.delete(principal, 'signing_key', keyId);
  }
}

function halfOf(body: CreateSigningKeyDto | RotateSigningKeyDto): KeyHalf {
  return {
    keyHash: null,
    sealedSecret: null,
    publicKey: publicKeyIn(body),
    prefix: body.public_key.slice(0, PREFIX_LENGTH),
  };
}
