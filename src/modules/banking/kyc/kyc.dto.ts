import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInstance,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { DOCUMENT_TYPES, type DocumentType, type PersonalData } from './kyc-provider.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { IsCalendarDate } from './validation/is-calendar-date.js';
import { IsCountryCode } from './validation/is-country-code.js';
import { IsPersonName, IsPlainLine } from './validation/is-person-name.js';
import {
  KYC_STATUSES,
  type KycCaseEntity,
  type KycReason,
  type KycRequirement,
  type KycStatus,
} from './kyc-case.entity.js';
import {
  IMAGE_SIDES,
  type ImageSide,
  type KycImageEntity,
  type KycStateEntity,
} from './kyc-records.entity.js';
import { KYC_CASE_IDS, KYC_IMAGE_IDS } from '../ids.js';

const NAME_LENGTH_MAX = 100;
const LINE_LENGTH_MAX = 100;
const POSTAL_CODE_LENGTH_MAX = 20;
const DOCUMENT_NUMBER_LENGTH_MAX = 30;
const MRZ_LINES_MAX = 3;
const MRZ_LINE_LENGTH_MAX = 60;

/** Where a person lives. */
export class KycAddressDto {
  /** @example "Rua Augusta 24" */
  @IsPlainLine(LINE_LENGTH_MAX)
  line1: string;

  /** @example "3 dto" */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainLine(LINE_LENGTH_MAX)
  line2?: string;

  /** @example "Lisboa" */
  @IsPlainLine(LINE_LENGTH_MAX)
  city: string;

  /** @example "Lisboa" */
  @ApiPropertyOptional()
  @IsOptional()
  @IsPlainLine(LINE_LENGTH_MAX)
  region?: string;

  /** @example "1100-053" */
  @IsPlainLine(POSTAL_CODE_LENGTH_MAX)
  postal_code: string;

  /**
   * ISO 3166-1 alpha-2.
   * @example "PT"
   */
  @IsCountryCode()
  country: string;
}

/** The document that a person is known by. */
export class KycDocumentDto {
  /** @example "passport" */
  @ApiProperty({ enum: DOCUMENT_TYPES })
  @IsIn(DOCUMENT_TYPES)
  type: DocumentType;

  /**
   * As the document has it; letters, digits, spaces and hyphens.
   * @example "L898902C3"
   */
  @IsString()
  @MaxLength(DOCUMENT_NUMBER_LENGTH_MAX)
  @Matches(/^[A-Za-z0-9](?:[ -]?[A-Za-z0-9])*$/, {
    message: '$property must be letters and digits, with single spaces or hyphens between them',
  })
  number: string;

  /**
   * ISO 3166-1 alpha-2, or a code of ICAO Doc 9303 such as `XXA` where no country has issued it.
   * @example "UTO"
   */
  @IsCountryCode({ orZoneCode: true })
  issuing_country: string;

  /**
   * The last day on which it is valid.
   * @example "2031-04-15"
   */
  @IsCalendarDate()
  expires_on: string;

  /**
   * The lines of its machine-readable zone, each `<` included; two for a passport, three for most cards.
   * Driving licences may have none.
   * @example ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F3104150ZE184226B<<<<<16"]
   */
  @ApiPropertyOptional({ type: [String], maxItems: MRZ_LINES_MAX })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MRZ_LINES_MAX)
  @IsString({ each: true })
  @MaxLength(MRZ_LINE_LENGTH_MAX, { each: true })
  @Matches(/^[A-Za-z0-9< ]+$/, {
    each: true,
    message: '$property must be lines of letters, digits and <',
  })
  mrz?: string[];
}

/** The body of `POST /kyc`: a person, as the document has it. */
export class SubmitKycDto {
  /**
   * All first names, in the document's order.
   * @example "Anna Maria"
   */
  @IsPersonName(NAME_LENGTH_MAX)
  first_name: string;

  /** @example "Eriksson" */
  @IsPersonName(NAME_LENGTH_MAX)
  last_name: string;

  /** @example "1974-08-12" */
  @IsCalendarDate()
  date_of_birth: string;

  /**
   * ISO 3166-1 alpha-2, or a code of ICAO Doc 9303 such as `XXA` for who has none.
   * @example "UTO"
   */
  @IsCountryCode({ orZoneCode: true })
  nationality: string;

  @ValidateNested()
  @Type(() => KycAddressDto)
  @IsInstance(KycAddressDto)
  address: KycAddressDto;

  @ValidateNested()
  @Type(() => KycDocumentDto)
  @IsInstance(KycDocumentDto)
  document: KycDocumentDto;
}

/** Why a case is as it is. */
export class KycReasonDto implements KycReason {
  /** @example "requirements_not_met" */
  code: string;
  /** @example "Submit a new case that meets the requirements." */
  message: string;
}

/** What to send otherwise in a new case. */
export class KycRequirementDto extends KycReasonDto implements KycRequirement {
  /**
   * A path in the body of `POST /kyc`.
   * @example "document.expires_on"
   */
  field: string;
}

/** What is shown of the person: enough to tell cases apart. */
export class MaskedPersonDto {
  /** @example "A*** E***" */
  name: string;
  @ApiProperty({ enum: DOCUMENT_TYPES, example: 'passport' })
  document_type: DocumentType;
  /** @example "***2C3" */
  document_number: string;
}

/** A KYC case. */
export class KycDto {
  /** @example "kyc_00000000001" */
  kyc_id: string;

  /**
   * `pending` waits for an outside provider and `in_review` for an operator; a case ends `rejected`, or `expired`
   * with its document or once a newer one takes its place.
   * @example "in_review"
   */
  @ApiProperty({ enum: KYC_STATUSES })
  status: KycStatus;

  /**
   * What the approval grants, 1 to 9; 0 while it is not approved.
   * @example 0
   */
  level: number;

  @ApiProperty({ type: [KycReasonDto] })
  reasons: KycReasonDto[];

  @ApiProperty({ type: [KycRequirementDto] })
  requirements: KycRequirementDto[];

  /** Null once the personal data was erased. */
  @ApiProperty({ type: MaskedPersonDto, nullable: true })
  person: MaskedPersonDto | null;

  /**
   * The last day on which the document is valid, by UTC.
   * @example "2031-04-15"
   */
  document_expires_on: string;

  /** RFC 3339, UTC. */
  created_at: string;
  /** RFC 3339, UTC. */
  updated_at: string;

  /** When it was last approved or rejected. RFC 3339, UTC. */
  @ApiProperty({ type: String, nullable: true })
  decided_at: string | null;
}

/** A state that a case was in. */
export class KycStateDto {
  @ApiProperty({ enum: KYC_STATUSES, example: 'in_review' })
  status: KycStatus;
  /** @example 0 */
  level: number;
  /**
   * For its owner one of `owner`, `operator`, `provider` and `service`; for operators the principal's key.
   * @example "service"
   */
  changed_by: string;
  /** @example "review_needed" */
  code: string;
  /** An operator's own words. */
  @ApiProperty({ type: String, nullable: true, example: null })
  reason: string | null;
  /** RFC 3339, UTC. */
  changed_at: string;
}

/** All states of a case, the first one first. */
export class KycHistoryDto {
  @ApiProperty({ type: [KycStateDto] })
  data: KycStateDto[];
}

/** The multipart form of `POST /kyc/{kyc_id}/images`. */
export class UploadKycImageDto {
  /** What it shows. */
  @ApiPropertyOptional({ enum: IMAGE_SIDES, default: 'front' })
  @IsOptional()
  @IsIn(IMAGE_SIDES)
  side?: ImageSide;

  /** A PNG, JPEG, GIF or WebP image of at most 10 MB and 50 megapixels. */
  @ApiProperty({ type: 'string', format: 'binary' })
  @IsInstance(Buffer, { message: 'file must be sent as a file, and not be empty' })
  file: Buffer;
}

/** An image of a case, which only operators can see. */
export class KycImageDto {
  /** @example "kim_00000000001" */
  image_id: string;
  @ApiProperty({ enum: IMAGE_SIDES, example: 'front' })
  side: ImageSide;
  /** @example "image/jpeg" */
  media_type: string;
  /** @example 182044 */
  size_bytes: number;
  /** RFC 3339, UTC. */
  created_at: string;
}

/** The query of `GET /admin/kyc`. */
export class KycQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: KYC_STATUSES })
  @IsOptional()
  @IsIn(KYC_STATUSES)
  status?: KycStatus;
}

/** The answer to a provider's message. */
export class KycCallbackReceivedDto {
  /** @example true */
  received: boolean;
}

/** What a person submitted, for storing. Texts are trimmed and in Unicode's form NFC. */
export function toPersonalData(body: SubmitKycDto): PersonalData {
  const { address, document } = body;
  return {
    firstName: tidy(body.first_name),
    lastName: tidy(body.last_name),
    dateOfBirth: body.date_of_birth,
    nationality: body.nationality,
    address: {
      line1: tidy(address.line1),
      line2: address.line2 === undefined ? null : tidy(address.line2),
      city: tidy(address.city),
      region: address.region === undefined ? null : tidy(address.region),
      postalCode: tidy(address.postal_code),
      country: address.country,
    },
    document: {
      type: document.type,
      number: document.number,
      issuingCountry: document.issuing_country,
      expiresOn: document.expires_on,
      mrz: document.mrz ?? [],
    },
  };
}

export function toKycDto(kyc: KycCaseEntity): KycDto {
  return {
    kyc_id: KYC_CASE_IDS.format(Number(kyc.kycId)),
    status: kyc.status,
    level: kyc.level,
    reasons: kyc.reasons.map(({ code, message }) => ({ code, message })),
    requirements: kyc.requirements.map(({ field, code, message }) => ({ field, code, message })),
    person: kyc.masked && {
      name: kyc.masked.name,
      document_type: kyc.masked.documentType,
      document_number: kyc.masked.documentNumber,
    },
    ...fieldsOf(kyc, 'documentExpiresOn', 'createdAt', 'updatedAt', 'decidedAt'),
  };
}

export function toKycImageDto(image: KycImageEntity): KycImageDto {
  return {
    image_id: KYC_IMAGE_IDS.format(Number(image.imageId)),
    ...fieldsOf(image, 'side', 'mediaType', 'sizeBytes', 'createdAt'),
  };
}

export function toKycStateDto(state: KycStateEntity, changedBy: string): KycStateDto {
  return {
    status: state.status,
    level: state.level,
    changed_by: changedBy,
    ...fieldsOf(state, 'code', 'reason', 'changedAt'),
  };
}

function tidy(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ');
}
