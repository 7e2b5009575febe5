import { Controller, Get, Param, Res, StreamableFile } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../../platform/security/credentials.js';
import { PetImagesService } from './pet-images.service.js';

/** An image never changes under its name. */
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable';

/** The stored images of pets, for everyone: pages of any origin may show them. */
@ApiTags('Pets')
@Public()
@Controller('pet/images')
export class PetImagesController {
  constructor(private readonly images: PetImagesService) {}

  @Get(':imageName')
  @ApiOperation({ summary: 'Get a stored image of a pet' })
  @ApiParam({ name: 'imageName', description: 'The end of an address among the `photoUrls` of a pet.' })
  @ApiOkResponse({
    description: 'The image.',
    content: Object.fromEntries(
      ['image/png', 'image/jpeg', 'image/gif', 'image/webp'].map((mediaType) => [
        mediaType,
        { schema: { type: 'string', format: 'binary' } },
      ]),
    ),
  })
  @ApiNotFoundResponse({ description: '`not_found`' })
  async get(
    @Param('imageName') imageName: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StreamableFile> {
    const { stream, mediaType, sizeBytes } = await this.images.open(imageName);
    response.setHeader('Cache-Control', KEPT_FOR_EVER);
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    return new StreamableFile(stream, { type: mediaType, length: sizeBytes, disposition: 'inline' });
  }
}
