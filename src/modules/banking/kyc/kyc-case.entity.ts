import { Check, Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import type { DocumentType } from './kyc-provider.js';
import type { CheckResult } from './checks/check-result.js';

/** In the order in which a case goes through them; only `pending` and `in_review` are open. */
export const KYC_STATUSES = ['pending', 'in_review', 'approved', 'rejected', 'expired'] as const;

export type KycStatus = (typeof KYC_STATUSES)[number];

/** Why a case has its status, in words for its owner. */
export interface KycReason {
  readonly code: string;
  readonly message: string;
}

/** What the owner of a case should change in the next one. */
export interface KycRequirement extends KycReason {
  /** A path in the body of `POST /kyc`, such as `document.mrz`. */
  readonly field: string;
}

/** Enough for people to tell their own cases apart. */
export interface MaskedPerson {
  /** Such as `A*** E***`. */
  readonly name: string;
  readonly documentType: DocumentType;
  /** Such as `***8C3`. */
  readonly documentNumber: string;
}

/** What a person submitted to be known by. Whatever tells who that is stands in `sealedData` alone. */
@Entity('kyc_cases')
@Check('level BETWEEN 0 AND 9')
@Index('kyc_cases_owner', ['owner', 'kycId'])
@Index('kyc_cases_status', ['status', 'kycId'])
@Index('kyc_cases_document', ['documentFingerprint'])
@Index('kyc_cases_expiry', ['documentExpiresOn'], {
  where: `status IN ('pending', 'in_review', 'approved')`,
})
@Index('kyc_cases_open', ['owner'], { unique: true, where: `status IN ('pending', 'in_review')` })
@Index('kyc_cases_approved', ['owner'], { unique: true, where: `status = 'approved'` })
@Index('kyc_cases_provider_reference', ['provider', 'providerReference'], {
  unique: true,
  where: 'provider_reference IS NOT NULL',
})
export class KycCaseEntity {
  @key.identity('BY DEFAULT') kycId: string;
  /** Whose case it is: see `Principal.accountOwner`. */
  @column.text() owner: string;
  /** The key of the principal that sent it. */
  @column.text() submittedBy: string;
  @column.text({ oneOf: KYC_STATUSES }) status: KycStatus;
  /** What its approval granted; 0 before. */
  @column.smallint({ default: 0 }) level: number;
  /** The last day on which the document is valid, such as `2030-05-31`. */
  @column.date() documentExpiresOn: string;
  /** A keyed hash of the document's country, type and number: the same document gives the same. */
  @column.bytes() documentFingerprint: Buffer;
  @column.json() checks: readonly CheckResult[];
  @column.json() reasons: readonly KycReason[];
  @column.json() requirements: readonly KycRequirement[];
  /** The name of the `KycProvider` that looks at it. */
  @column.text() provider: string;
  /** The case at the provider, once it has answered with one. */
  @column.text({ nullable: true }) providerReference: string | null;
  /** When the provider was last asked; null where it never was. */
  @column.msTime({ nullable: true }) providerAskedAt: Date | null;
  /** The sanctions list that the name was last checked against; null without one. */
  @column.text({ nullable: true }) sanctionsVersion: string | null;
  /** What may be shown of the personal data; null once that is erased. */
  @column.json({ nullable: true }) masked: MaskedPerson | null;
  /** The personal data, as `KycData` sealed it; null once it is erased. Only read where it is needed. */
  @column.bytes({ nullable: true, select: false }) sealedData: Buffer | null;
  @column.msTime({ nullable: true }) decidedAt: Date | null;
  @column.msTime({ nullable: true }) erasedAt: Date | null;
  @column.msTime({ default: NOW }) createdAt: Date;
  @column.msTime({ default: NOW }) updatedAt: Date;
}

/** A person with cases, and the KYC level for all of the person's accounts in the core. */
@Entity('kyc_persons')
@Check('level BETWEEN 0 AND 9')
@Index('kyc_persons_due', ['owner'], { where: 'applied_changes <> level_changes' })
export class KycPersonEntity {
  @key.text() owner: string;
  @column.smallint({ default: 0 }) level: number;
  /** How often the level has changed: what makes a command to the core one of its own. */
  @column.integer({ default: 0 }) levelChanges: number;
  /** The last of these changes that was applied to all accounts of the owner. */
  @column.integer({ default: 0 }) appliedChanges: number;
}
