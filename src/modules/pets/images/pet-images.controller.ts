import { Controller, Get, Param, Res, type StreamableFile } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiImageResponse, imageAnswer } from '../../../kit/files/images/image-answer.js';
import { isImageName } from '../../../kit/files/images/image-name.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { imagePathOf } from './pet-image-url.js';
import { PetImagesService } from './pet-images.service.js';

/** The stored images of pets, for everyone: pages of any origin may show them. */
@ApiTags('Pets')
@Public()
@Controller()
export class PetImagesController {
  constructor(private readonly images: PetImagesService) {}

  /** Get a stored image of a pet */
  @Get('pet-images/:image_name')
  @ApiImageResponse()
  async get(
    @PathParam('image_name', { description: 'The end of an address among the `photoUrls` of a pet.' })
    imageName: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    return imageAnswer(response, imageName, await this.images.open(imageName));
  }

  /** Redirects from the former path, which photo URLs of other pets and of other services still have. */
  @Get('pet/images/:image_name')
  @ApiExcludeEndpoint()
  getFormer(@Param('image_name') imageName: string, @Res() response: Response): void {
    if (!isImageName(imageName)) throw new ApiError(NOT_FOUND, 'There is no such image.');
    response.redirect(308, imagePathOf(imageName));
  }
}
