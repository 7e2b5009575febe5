import { Controller, Get, Param, Res, type StreamableFile } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiImageResponse, imageAnswer } from '../../../platform/files/images/image-answer.js';
import { Public } from '../../../platform/security/credentials.js';
import { PetImagesService } from './pet-images.service.js';

/** The stored images of pets, for everyone: pages of any origin may show them. */
@ApiTags('Pets')
@Public()
@Controller('pet/images')
export class PetImagesController {
  constructor(private readonly images: PetImagesService) {}

  @Get(':imageName')
  @ApiOperation({ summary: 'Get a stored image of a pet' })
  @ApiParam({ name: 'imageName', description: 'The end of an address among the `photoUrls` of a pet.' })
  @ApiImageResponse()
  async get(
    @Param('imageName') imageName: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return imageAnswer(response, imageName, await this.images.open(imageName));
  }
}
