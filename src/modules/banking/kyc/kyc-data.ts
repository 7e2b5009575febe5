import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { PersonalData } from './kyc-provider.js';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';

/** Seals the personal data of cases, and opens it again. */
@Injectable()
export class KycData {
  constructor(private readonly box: SecretBox) {}

  /** Rejects as the vault does. */
  async seal(kycId: string, data: PersonalData, manager: EntityManager): Promise<Buffer> {
    const plaintext = Buffer.from(JSON.stringify(data), 'utf8');
    try {
      return await this.box.seal(plaintext, placeOf(kycId), manager);
    } finally {
      plaintext.fill(0);
    }
  }

  /** Rejects as the vault does, and where it was not sealed for this case. */
  async open(kycId: string, sealed: Buffer, manager?: EntityManager): Promise<PersonalData> {
    const plaintext = await this.box.open(sealed, placeOf(kycId), manager);
    try {
      return JSON.parse(plaintext.toString('utf8')) as PersonalData;
    } finally {
      plaintext.fill(0);
    }
  }
}

function placeOf(kycId: string): SecretPlace {
  return { table: 'kyc_cases', row: kycId, column: 'sealed_data' };
}
