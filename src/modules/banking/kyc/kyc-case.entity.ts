import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { DocumentType } from './kyc-provider.js';
import type { CheckResult } from './checks/check-result.js';

/** In the order in which a case goes through them; only `pending` and `in_review` are open. */
export const KYC_STATUSES = ['pending', 'in_review', 'approved', 'rejected', 'expired'] as const;

export type KycStatus = (typeof KYC_STATUSES)[number];

export const OPEN_STATUSES = ['pending', 'in_review'] as const satisfies readonly KycStatus[];

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
@Check('kyc_cases_status_check', `status IN ('pending', 'in_review', 'approved', 'rejected', 'expired')`)
@Check('kyc_cases_level_check', 'level BETWEEN 0 AND 9')
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
  @PrimaryGeneratedColumn('identity', {
    name: 'kyc_id',
    type: 'bigint',
    generatedIdentity: 'BY DEFAULT',
    primaryKeyConstraintName: 'kyc_cases_pkey',
  })
  kycId: string;

  /** Whose case it is: see `Principal.accountOwner`. */
  @Column({ name: 'owner', type: 'text' })
  owner: string;

  /** The key of the principal that sent it. */
  @Column({ name: 'submitted_by', type: 'text' })
  submittedBy: string;

  @Column({ name: 'status', type: 'text' })
  status: KycStatus;

  /** What its approval granted; 0 before. */
  @Column({ name: 'level', type: 'smallint', default: 0 })
  level: number;

  /** The last day on which the document is valid, such as `2030-05-31`. */
  @Column({ name: 'document_expires_on', type: 'date' })
  documentExpiresOn: string;

  /** A keyed hash of the document's country, type and number: the same document gives the same. */
  @Column({ name: 'document_fingerprint', type: 'bytea' })
  documentFingerprint: Buffer;

  @Column({ name: 'checks', type: 'jsonb' })
  checks: readonly CheckResult[];

  @Column({ name: 'reasons', type: 'jsonb' })
  reasons: readonly KycReason[];

  @Column({ name: 'requirements', type: 'jsonb' })
  requirements: readonly KycRequirement[];

  /** The name of the `KycProvider` that looks at it. */
  @Column({ name: 'provider', type: 'text' })
  provider: string;

  /** The case at the provider, once it has answered with one. */
  @Column({ name: 'provider_reference', type: 'text', nullable: true })
  providerReference: string | null;

  /** When the provider was last asked; null where it never was. */
  @Column({ name: 'provider_asked_at', type: 'timestamptz', precision: 3, nullable: true })
  providerAskedAt: Date | null;

  /** The sanctions list that the name was last checked against; null without one. */
  @Column({ name: 'sanctions_version', type: 'text', nullable: true })
  sanctionsVersion: string | null;

  /** What may be shown of the personal data; null once that is erased. */
  @Column({ name: 'masked', type: 'jsonb', nullable: true })
  masked: MaskedPerson | null;

  /** The personal data, as `KycData` sealed it; null once it is erased. Only read where it is needed. */
  @Column({ name: 'sealed_data', type: 'bytea', nullable: true, select: false })
  sealedData: Buffer | null;

  @Column({ name: 'decided_at', type: 'timestamptz', precision: 3, nullable: true })
  decidedAt: Date | null;

  @Column({ name: 'erased_at', type: 'timestamptz', precision: 3, nullable: true })
  erasedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}

/** A person with cases, and the KYC level for all of the person's accounts in the core. */
@Entity('kyc_persons')
@Check('kyc_persons_level_check', 'level BETWEEN 0 AND 9')
@Index('kyc_persons_due', ['owner'], { where: 'applied_changes <> level_changes' })
export class KycPersonEntity {
  @PrimaryColumn({ name: 'owner', type: 'text', primaryKeyConstraintName: 'kyc_persons_pkey' })
  owner: string;

  @Column({ name: 'level', type: 'smallint', default: 0 })
  level: number;

  /** How often the level has changed: what makes a command to the core one of its own. */
  @Column({ name: 'level_changes', type: 'integer', default: 0 })
  levelChanges: number;

  /** The last of these changes that was applied to all accounts of the owner. */
  @Column({ name: 'applied_changes', type: 'integer', default: 0 })
  appliedChanges: number;
}
