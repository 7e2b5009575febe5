import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { PAGE_LIMIT_MAX } from '../../kit/http/pagination.js';
import { IsLabel } from '../../kit/http/validation/is-label.js';
import { QueryInteger } from '../../kit/http/validation/query.js';
import { ArePhotoUrls } from './is-photo-url.js';
import { PET_STATUSES, type PetStatus } from './pet.entity.js';

const NAME_LENGTH_MAX = 200;
const TAGS_MAX = 50;
/** Addresses and stored images together. */
export const PHOTOS_MAX = 20;
const SEARCHED_TAGS_MAX = 50;

/** A category or tag, as a pet names it. */
export class PetLabelInputDto {
  /** Finds a known one where no name comes with it; with a name it is ignored, since the service gives the ids. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64' })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  id?: number;

  /**
   * Makes it known where it is not.
   * @example "dogs"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsLabel(NAME_LENGTH_MAX)
  name?: string;
}

/** What a whole pet has beside its id. */
export class PetFieldsDto {
  /** What the pet is sorted under; `null` or left out: nothing. */
  @ApiPropertyOptional()
  @IsOptional()
  @ValidateNested()
  @Type(() => PetLabelInputDto)
  category?: PetLabelInputDto;

  /** @example "Rex" */
  @IsLabel(NAME_LENGTH_MAX)
  name: string;

  /**
   * Web addresses in the order in which they are shown; stored images join them at the end.
   * @example ["https://example.com/rex.jpg"]
   */
  @IsArray()
  @ArrayMaxSize(PHOTOS_MAX)
  @ArePhotoUrls()
  photoUrls: string[];

  /** What the pet is found by; one that is named twice counts once. */
  @ApiPropertyOptional({ type: [PetLabelInputDto] })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(TAGS_MAX)
  @ValidateNested({ each: true })
  @Type(() => PetLabelInputDto)
  tags?: PetLabelInputDto[];

  /** Left out: `available` for a new pet, the status that it has for a known one. */
  @ApiPropertyOptional({ enum: PET_STATUSES })
  @IsOptional()
  @IsIn(PET_STATUSES)
  status?: PetStatus;
}

/** The body of `POST /pet`. */
export class AddPetDto extends PetFieldsDto {
  /** A number of one's own choice that no pet has; left out or 0, the service gives the next free one. */
  @ApiPropertyOptional({ type: 'integer', format: 'int64' })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  id?: number;
}

/** The body of `PUT /pet`: the whole pet. Category and tags that are left out are taken away. */
export class ReplacePetDto extends PetFieldsDto {
  /** @example 1 */
  @ApiProperty({ type: 'integer', format: 'int64' })
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  id: number;
}

/** The form of `POST /pet/{petId}`: at least one field. An empty one counts as left out. */
export class UpdatePetFormDto {
  /** @example "Rex" */
  @ApiPropertyOptional()
  @Transform(leftOutIfEmpty)
  @IsOptional()
  @IsLabel(NAME_LENGTH_MAX)
  name?: string;

  /** @example "available" */
  @ApiPropertyOptional({ enum: PET_STATUSES })
  @Transform(leftOutIfEmpty)
  @IsOptional()
  @IsIn(PET_STATUSES)
  status?: PetStatus;
}

/** What both searches take. */
class FindPetsQueryDto {
  @QueryInteger(1, PAGE_LIMIT_MAX, `How many pets to answer at most (default ${PAGE_LIMIT_MAX}).`)
  limit: number = PAGE_LIMIT_MAX;

  @QueryInteger(1, Number.MAX_SAFE_INTEGER, 'Only pets with a smaller id: the last one of the answer before.')
  before?: number;
}

/** The query of `GET /pet/findByStatus`. */
export class FindPetsByStatusQueryDto extends FindPetsQueryDto {
  /**
   * Any of these; repeated, or separated by commas.
   * @example ["available"]
   */
  @ApiPropertyOptional({ enum: PET_STATUSES, isArray: true })
  @Transform(({ value }: { value: unknown }) => textsOf(value).flatMap((text) => text.split(',')))
  @ArrayMaxSize(SEARCHED_TAGS_MAX)
  @IsIn(PET_STATUSES, { each: true })
  status: PetStatus[] = ['available'];
}

/** The query of `GET /pet/findByTags`. */
export class FindPetsByTagsQueryDto extends FindPetsQueryDto {
  /**
   * Pets with any of these tags; repeated, or separated by commas.
   * @example ["friendly"]
   */
  @ApiProperty({ type: [String] })
  @Transform(({ value }: { value: unknown }) => (value === undefined ? value : textsOf(value)))
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(SEARCHED_TAGS_MAX)
  @MinLength(1, { each: true })
  @MaxLength(SEARCHED_TAGS_MAX * (NAME_LENGTH_MAX + 1), { each: true })
  tags: string[];
}

/** A category or tag of a pet. */
export class PetLabelDto {
  /**
   * Given by the service.
   * @example 1
   */
  @ApiProperty({ type: 'integer', format: 'int64' })
  id: number;

  /** @example "dogs" */
  name: string;
}

/** A pet, with the fields of the Petstore's `Pet`. */
export class PetDto {
  /** @example 1 */
  @ApiProperty({ type: 'integer', format: 'int64' })
  id: number;

  /** Absent where the pet has none. */
  @ApiPropertyOptional()
  category?: PetLabelDto;

  /** @example "Rex" */
  name: string;

  /** Web addresses; those of stored images are absolute. */
  photoUrls: string[];

  tags: PetLabelDto[];

  @ApiProperty({ enum: PET_STATUSES })
  status: PetStatus;
}

/** The Petstore's `ApiResponse`. */
export class UploadedImageDto {
  /**
   * The HTTP status.
   * @example 200
   */
  @ApiProperty({ type: 'integer', format: 'int32' })
  code: number;

  /**
   * The media type of the image as it is stored.
   * @example "image/png"
   */
  type: string;

  /** Where the image is served, and the metadata that came with it. */
  message: string;
}

function leftOutIfEmpty({ value }: { value: unknown }): unknown {
  return value === '' ? undefined : value;
}

/** The texts of a query parameter that may be repeated. */
function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]) as string[];
}
