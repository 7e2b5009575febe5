import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query, Res, UseFilters } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { VALIDATION_FAILED, CONFLICT, NOT_FOUND, PAYLOAD_TOO_LARGE } from '../../kit/http/error-codes.js';
import { INVALID_INPUT } from './errors.js';
import { ApiErrors } from '../../kit/http/api-errors.js';
import { FormBody, UploadBody } from '../../kit/http/body-policy.js';
import { POINTS } from '../../kit/rate-limit/points.js';
import { RateLimitedAs } from '../../kit/rate-limit/rate-limit.guard.js';
import { ApiRevalidated, revalidated } from '../../kit/http/conditional.js';
import { Idempotent } from '../../kit/http/idempotency/idempotent.js';
import { IntegerId } from '../../kit/http/validation/integer-id.js';
import { RequireScopes } from '../../kit/security/credential-policy.js';
import { PetImagesService } from './images/pet-images.service.js';
import { UploadImageDto, UploadImageQueryDto } from './images/upload-image.dto.js';
import { InvalidInputFilter } from './invalid-input.filter.js';
import {
  AddPetDto,
  FindPetsByStatusQueryDto,
  FindPetsByTagsQueryDto,
  PetDto,
  ReplacePetDto,
  UpdatePetFormDto,
  UploadedImageDto,
} from './pet.dto.js';
import { PetReader } from './pet-reader.js';
import { PetsService } from './pets.service.js';
import { READ_PETS, WRITE_PETS } from './scopes.js';

const READ = { anyOf: [READ_PETS] } as const;
const WRITE = { anyOf: [WRITE_PETS] } as const;
const READ_AND_WRITE = { allOf: [READ_PETS, WRITE_PETS] } as const;

/** The Petstore's pets. They belong to the shop: whoever has the scope may change any of them. */
@ApiTags('Pets')
@Controller('pet')
export class PetController {
  constructor(
    private readonly pets: PetsService,
    private readonly reader: PetReader,
    private readonly images: PetImagesService,
  ) {}

  /**
   * Add a new pet
   * @remarks A category or tag is found by its name, and made where it is new; an id that comes with a name
   * is ignored, and an id alone finds a known one.
   */
  @Post()
  @HttpCode(200)
  @RequireScopes(WRITE)
  @Idempotent()
  @ApiErrors(VALIDATION_FAILED, CONFLICT.means('the id is taken.'))
  add(@Body() body: AddPetDto): Promise<PetDto> {
    return this.pets.add(body);
  }

  /**
   * Update an existing pet
   * @remarks Replaces the whole pet, but keeps its status where none is sent. A stored image whose address
   * is no longer in `photoUrls` is deleted. A category or tag is found by its name, and made where it is new;
   * an id that comes with a name is ignored, and an id alone finds a known one.
   */
  @Put()
  @RequireScopes(WRITE)
  @ApiErrors(VALIDATION_FAILED, NOT_FOUND)
  replace(@Body() body: ReplacePetDto): Promise<PetDto> {
    return this.pets.replace(body);
  }

  /**
   * Find pets by status
   * @remarks The highest id first; without a status those that are available.
   */
  @Get('findByStatus')
  @RequireScopes(READ)
  @ApiRevalidated({ dated: false })
  @ApiErrors(VALIDATION_FAILED)
  async findByStatus(
    @Query() query: FindPetsByStatusQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PetDto[]> {
    return revalidated(response, await this.reader.findByStatus(query));
  }

  /**
   * Find pets by tags
   * @remarks The highest id first.
   */
  @Get('findByTags')
  @RequireScopes(READ)
  @ApiRevalidated({ dated: false })
  @ApiErrors(VALIDATION_FAILED)
  async findByTags(
    @Query() query: FindPetsByTagsQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PetDto[]> {
    return revalidated(response, await this.reader.findByTags(query));
  }

  /** Find pet by ID */
  @Get(':petId')
  @RequireScopes(READ, { orAnyApiKey: true })
  @ApiRevalidated({ dated: false })
  @ApiErrors(VALIDATION_FAILED.means('no such id can be.'), NOT_FOUND)
  async get(
    @IntegerId('petId', 'The id of a pet.') petId: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PetDto> {
    return revalidated(response, await this.reader.get(petId));
  }

  /**
   * Update a pet with form data
   * @remarks The fields come as a form, or in the query; the form wins where both have one.
   */
  @Post(':petId')
  @HttpCode(200)
  @RequireScopes(READ_AND_WRITE)
  @FormBody()
  @UseFilters(InvalidInputFilter)
  @ApiErrors(NOT_FOUND, INVALID_INPUT.means('the id or a field is invalid, or no field is given.'))
  update(
    @IntegerId('petId', 'The id of a pet.') petId: number,
    @Query() query: UpdatePetFormDto,
    @Body() form: UpdatePetFormDto,
  ): Promise<PetDto> {
    return this.pets.update(petId, { name: form.name ?? query.name, status: form.status ?? query.status });
  }

  /**
   * Delete a pet
   * @remarks Its stored images are deleted with it. Its purchase orders stay.
   */
  @Delete(':petId')
  @HttpCode(200)
  @RequireScopes(WRITE)
  @ApiOkResponse({ description: 'The pet is deleted.' })
  @ApiErrors(VALIDATION_FAILED.means('no such id can be.'), NOT_FOUND)
  remove(@IntegerId('petId', 'The id of a pet.') petId: number): Promise<void> {
    return this.pets.remove(petId);
  }

  /**
   * Upload an image
   * @remarks As a form with `file` and `additionalMetadata`, or as the file itself with `additionalMetadata`
   * in the query. The image is stored drawn anew, upright and without metadata; its address joins
   * `photoUrls`.
   */
  @Post(':petId/uploadImage')
  @HttpCode(200)
  @RequireScopes(WRITE)
  @Idempotent()
  @UploadBody()
  @RateLimitedAs('writes', () => POINTS.image)
  @ApiErrors(
    VALIDATION_FAILED.means('the id or the image is invalid, or there is none.'),
    NOT_FOUND,
    CONFLICT.means('the pet has as many photos as it may have.'),
    PAYLOAD_TOO_LARGE.means('the image has over 10 MB.'),
  )
  uploadImage(
    @IntegerId('petId', 'The id of a pet.') petId: number,
    @Query() query: UploadImageQueryDto,
    @Body() body: UploadImageDto,
  ): Promise<UploadedImageDto> {
    return this.images.add(petId, body.file, body.additionalMetadata ?? query.additionalMetadata);
  }
}
