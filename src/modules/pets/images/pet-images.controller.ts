import { Controller, Get, Res, type StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiImageResponse, imageAnswer } from '../../../platform/files/images/image-answer.js';
import { PathParam } from '../../../platform/http/path-param.js';
import { Public } from '../../../platform/security/credentials.js';
import { PetImagesService } from './pet-images.service.js';

/** The stored images of pets, for everyone: pages of any origin may show them. */
@ApiTags('Pets')
@Public()
@Controller('pet/images')
export class PetImagesController {
  constructor(private readonly images: PetImagesService) {}

  /** Get a stored image of a pet */
  @Get(':imageName')
  @ApiImageResponse()
  async get(
    @PathParam('imageName', { description: 'The end of an address among the `photoUrls` of a pet.' })
    imageName: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return imageAnswer(response, imageName, await this.images.open(imageName));
  }
}
