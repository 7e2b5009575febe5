import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, UseFilters } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../platform/http/api-errors.js';
import { FormBody, UploadBody } from '../../platform/http/body-policy.js';
import { Idempotent } from '../../platform/http/idempotency/idempotent.js';
import { ApiIntegerId, IntegerIdPipe } from '../../platform/http/validation/integer-id.js';
import { RequireScopes, type CredentialScheme } from '../../platform/security/credentials.js';
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

const SCHEMES: readonly CredentialScheme[] = ['implicit'];
const READ = { anyOf: ['read:pets'] } as const;
const WRITE = { anyOf: ['write:pets'] } as const;
const READ_AND_WRITE = { allOf: ['read:pets', 'write:pets'] } as const;

const LABELS =
  'A category or tag is found by its name, and made where it is new; an id that comes with a name is ignored, and an id alone finds a known one.';

/** The Petstore's pets. They belong to the shop: whoever has the scope may change any of them. */
@ApiTags('Pets')
@Controller('pet')
export class PetsController {
  constructor(
    private readonly pets: PetsService,
    private readonly reader: PetReader,
    private readonly images: PetImagesService,
  ) {}

  @Post()
  @HttpCode(200)
  @RequireScopes(WRITE, SCHEMES)
  @Idempotent()
  @ApiOperation({ summary: 'Add a new pet', description: LABELS })
  @ApiOkResponse({ type: PetDto })
  @ApiErrors('validation_failed', 'conflict: the id is taken.')
  add(@Body() body: AddPetDto): Promise<PetDto> {
    return this.pets.add(body);
  }

  @Put()
  @RequireScopes(WRITE, SCHEMES)
  @ApiOperation({
    summary: 'Update an existing pet',
    description: `Replaces the whole pet, but keeps its status where none is sent. A stored image whose address is no longer in \`photoUrls\` is deleted. ${LABELS}`,
  })
  @ApiOkResponse({ type: PetDto })
  @ApiErrors('validation_failed', 'not_found')
  replace(@Body() body: ReplacePetDto): Promise<PetDto> {
    return this.pets.replace(body);
  }

  @Get('findByStatus')
  @RequireScopes(READ, SCHEMES)
  @ApiOperation({
    summary: 'Find pets by status',
    description: 'The highest id first; without a status those that are available.',
  })
  @ApiOkResponse({ type: [PetDto] })
  @ApiErrors('validation_failed')
  findByStatus(@Query() query: FindPetsByStatusQueryDto): Promise<PetDto[]> {
    return this.reader.findByStatus(query);
  }

  @Get('findByTags')
  @RequireScopes(READ, SCHEMES)
  @ApiOperation({ summary: 'Find pets by tags', description: 'The highest id first.' })
  @ApiOkResponse({ type: [PetDto] })
  @ApiErrors('validation_failed')
  findByTags(@Query() query: FindPetsByTagsQueryDto): Promise<PetDto[]> {
    return this.reader.findByTags(query);
  }

  @Get(':petId')
  @RequireScopes(READ, SCHEMES, { orAnyApiKey: true })
  @ApiOperation({ summary: 'Find pet by ID' })
  @ApiIntegerId('petId', 'The id of a pet.')
  @ApiOkResponse({ type: PetDto })
  @ApiErrors('validation_failed: no such id can be.', 'not_found')
  get(@Param('petId', IntegerIdPipe) petId: number): Promise<PetDto> {
    return this.reader.get(petId);
  }

  @Post(':petId')
  @HttpCode(200)
  @FormBody()
  @RequireScopes(READ_AND_WRITE, SCHEMES)
  @UseFilters(InvalidInputFilter)
  @ApiOperation({
    summary: 'Update a pet with form data',
    description: 'The fields come as a form, or in the query; the form wins where both have one.',
  })
  @ApiIntegerId('petId', 'The id of a pet.')
  @ApiOkResponse({ type: PetDto })
  @ApiErrors('not_found', 'invalid_input: the id or a field is invalid, or no field is given.')
  update(
    @Param('petId', IntegerIdPipe) petId: number,
    @Query() query: UpdatePetFormDto,
    @Body() form: UpdatePetFormDto,
  ): Promise<PetDto> {
    return this.pets.update(petId, { name: form.name ?? query.name, status: form.status ?? query.status });
  }

  @Delete(':petId')
  @HttpCode(200)
  @RequireScopes(WRITE, SCHEMES)
  @ApiOperation({
    summary: 'Delete a pet',
    description: 'Its stored images are deleted with it. Its purchase orders stay.',
  })
  @ApiIntegerId('petId', 'The id of a pet.')
  @ApiOkResponse({ description: 'The pet is deleted.' })
  @ApiErrors('validation_failed: no such id can be.', 'not_found')
  remove(@Param('petId', IntegerIdPipe) petId: number): Promise<void> {
    return this.pets.remove(petId);
  }

  @Post(':petId/uploadImage')
  @HttpCode(200)
  @UploadBody()
  @RequireScopes(WRITE, SCHEMES)
  @Idempotent()
  @ApiOperation({
    summary: 'Upload an image',
    description:
      'As a form with `file` and `additionalMetadata`, or as the file itself with `additionalMetadata` in the query. The image is stored drawn anew, upright and without metadata; its address joins `photoUrls`.',
  })
  @ApiIntegerId('petId', 'The id of a pet.')
  @ApiOkResponse({ type: UploadedImageDto })
  @ApiErrors(
    'validation_failed: the id or the image is invalid, or there is none.',
    'not_found',
    'conflict: the pet has as many photos as it may have.',
    'payload_too_large: the image has over 10 MB.',
  )
  uploadImage(
    @Param('petId', IntegerIdPipe) petId: number,
    @Query() query: UploadImageQueryDto,
    @Body() body: UploadImageDto,
  ): Promise<UploadedImageDto> {
    return this.images.add(petId, body.file, body.additionalMetadata ?? query.additionalMetadata);
  }
}
