import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SecretBox, type SecretPlace } from '../../../platform/vault/secret-box.js';

export const DOCUMENT_TYPES = ['passport', 'id_card', 'driving_licence'] as const;

export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export interface KycAddress {
  readonly line1: string;
  readonly line2: string | null;
  readonly city: string;
  readonly region: string | null;
  readonly postalCode: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

export interface KycDocument {
  readonly type: DocumentType;
  readonly number: string;
  /** ISO 3166-1 alpha-2. */
  readonly issuingCountry: string;
  /** The last day on which it is valid, such as `2030-05-31`. */
  readonly expiresOn: string;
  /** The lines of its machine-readable zone; empty where it has none. */
  readonly mrz: readonly string[];
}

/** What a person submits: all of it personal data. */
export interface PersonalData {
  readonly firstName: string;
  readonly lastName: string;
  /** Such as `1974-08-12`. */
  readonly dateOfBirth: string;
  /** ISO 3166-1 alpha-2. */
  readonly nationality: string;
  readonly address: KycAddress;
  readonly document: KycDocument;
}

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
