import { ApiProperty } from '@nestjs/swagger';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { QueryBoolean } from '../../../kit/http/validation/query.js';
import { DOCUMENT_TYPES, type DocumentType, type PersonalData } from './kyc-provider.js';
import type { CheckName, CheckOutcome, CheckResult } from './checks/check-result.js';
import type { KycCaseEntity } from './kyc-case.entity.js';
import type { KycImageEntity, KycStateEntity } from './kyc-records.entity.js';
import { KycDto, KycImageDto, KycStateDto, toKycDto, toKycImageDto, toKycStateDto } from './kyc.dto.js';
import type { ListedPerson } from './sanctions/sdn-file.js';

const CHECK_OUTCOMES: readonly CheckOutcome[] = ['passed', 'review', 'failed'];

/** An entry of the sanctions list whose name is like the person's. */
export class SanctionsMatchDto {
  /**
   * Its number on the list.
   * @example "7157"
   */
  uid: string;
  /**
   * How alike the names are, of 100.
   * @example 94
   */
  score: number;
  /** Null where it is on the list no more. */
  @ApiProperty({ type: String, nullable: true, example: 'DOE, John' })
  name: string | null;
  /** @example "SDGT" */
  @ApiProperty({ type: String, nullable: true })
  program: string | null;
}

/** How one automatic check went. */
export class KycCheckDto {
  /** @example "sanctions" */
  @ApiProperty({ type: String })
  check: CheckName;
  @ApiProperty({ enum: CHECK_OUTCOMES, example: 'review' })
  outcome: CheckOutcome;
  /** The best of the matches; null where there are none. */
  @ApiProperty({ type: Number, nullable: true, example: 94 })
  score: number | null;
  @ApiProperty({ type: [SanctionsMatchDto] })
  matches: SanctionsMatchDto[];
}

/** A case as operators see it in lists. */
export class KycCaseDto extends KycDto {
  /**
   * Whose case it is.
   * @example "client:demo"
   */
  owner: string;
  /** @example "client:demo" */
  submitted_by: string;
  /**
   * The provider that looks at it.
   * @example "built-in"
   */
  provider: string;
  @ApiProperty({ type: String, nullable: true, example: null })
  provider_reference: string | null;
  @ApiProperty({ type: [KycCheckDto] })
  checks: KycCheckDto[];
}

/** Where the person lives. */
export class RevealedAddressDto {
  /** @example "Rua Augusta 24" */
  line1: string;
  @ApiProperty({ type: String, nullable: true, example: '3 dto' })
  line2: string | null;
  /** @example "Lisboa" */
  city: string;
  @ApiProperty({ type: String, nullable: true, example: 'Lisboa' })
  region: string | null;
  /** @example "1100-053" */
  postal_code: string;
  /** @example "PT" */
  country: string;
}

/** The person's document. */
export class RevealedDocumentDto {
  @ApiProperty({ enum: DOCUMENT_TYPES, example: 'passport' })
  type: DocumentType;
  /** @example "L898902C3" */
  number: string;
  /** @example "UTO" */
  issuing_country: string;
  /** @example "2031-04-15" */
  expires_on: string;
  @ApiProperty({ type: [String] })
  mrz: string[];
}

/** The personal data of a case, in the clear. */
export class RevealedPersonDto {
  /** @example "Anna Maria" */
  first_name: string;
  /** @example "Eriksson" */
  last_name: string;
  /** @example "1974-08-12" */
  date_of_birth: string;
  /** @example "UTO" */
  nationality: string;
  @ApiProperty({ type: RevealedAddressDto })
  address: RevealedAddressDto;
  @ApiProperty({ type: RevealedDocumentDto })
  document: RevealedDocumentDto;
}

/** A case with all that belongs to it. */
export class KycCaseDetailDto extends KycCaseDto {
  /** With `reveal=true`, unless it was erased; otherwise null. */
  @ApiProperty({ type: RevealedPersonDto, nullable: true })
  revealed: RevealedPersonDto | null;
  @ApiProperty({ type: [KycImageDto] })
  images: KycImageDto[];
  @ApiProperty({ type: [KycStateDto] })
  history: KycStateDto[];
  /**
   * How often operators have seen the personal data or an image.
   * @example 3
   */
  views: number;
}

/** The query of `GET /admin/kyc/{kyc_id}`. */
export class KycCaseQueryDto {
  @QueryBoolean('Shows the personal data in the clear; who looked is recorded (default false).')
  reveal?: boolean;
}

export function toKycCaseDto(
  kyc: KycCaseEntity,
  entryOf: (uid: string) => ListedPerson | undefined,
): KycCaseDto {
  return {
    ...toKycDto(kyc),
    ...fieldsOf(kyc, 'owner', 'submittedBy', 'provider', 'providerReference'),
    checks: kyc.checks.map((result) => toKycCheckDto(result, entryOf)),
  };
}

export function toKycCaseDetailDto(
  summary: KycCaseDto,
  parts: {
    readonly revealed: PersonalData | null;
    readonly images: readonly KycImageEntity[];
    readonly states: readonly KycStateEntity[];
    readonly views: number;
  },
): KycCaseDetailDto {
  return {
    ...summary,
    revealed: parts.revealed && toRevealedDto(parts.revealed),
    images: parts.images.map(toKycImageDto),
    history: parts.states.map((state) => toKycStateDto(state, state.changedBy)),
    views: parts.views,
  };
}

function toKycCheckDto(
  { check, outcome, score, listEntries = [] }: CheckResult,
  entryOf: (uid: string) => ListedPerson | undefined,
): KycCheckDto {
  return {
    check,
    outcome,
    score: score ?? null,
    matches: listEntries.map((match) => {
      const entry = entryOf(match.uid);
      return {
        uid: match.uid,
        score: match.score,
        name: entry?.name ?? null,
        program: entry?.program ?? null,
      };
    }),
  };
}

export function toRevealedDto(person: PersonalData): RevealedPersonDto {
  const { address, document } = person;
  return {
    ...fieldsOf(person, 'firstName', 'lastName', 'dateOfBirth', 'nationality'),
    address: {
      ...fieldsOf(address, 'line1', 'line2', 'city', 'region', 'postalCode', 'country'),
    },
    document: {
      ...fieldsOf(document, 'type', 'number', 'issuingCountry', 'expiresOn'),
      mrz: [...document.mrz],
    },
  };
}
