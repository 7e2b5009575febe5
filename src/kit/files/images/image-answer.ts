import { StreamableFile, applyDecorators } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse } from '@nestjs/swagger';
import type { Response } from 'express';
import type { StoredFile } from '../file-store.js';
import { IMAGE_MEDIA_TYPES, mediaTypeOf } from './image-name.js';

/** Cacheable for ever: an image never changes under its name. */
const KEPT_FOR_EVER = 'public, max-age=31536000, immutable';

/** Sends a stored image, which pages of any origin may show and every cache may keep. */
export function imageAnswer(
  response: Response,
  imageName: string,
  { stream, sizeBytes }: StoredFile,
): StreamableFile {
  response.setHeader('Cache-Control', KEPT_FOR_EVER);
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  return new StreamableFile(stream, {
    type: mediaTypeOf(imageName),
    length: sizeBytes,
    disposition: 'inline',
  });
}

/** Documents a route that answers a stored image. */
export function ApiImageResponse(): MethodDecorator {
  return applyDecorators(
    ApiOkResponse({
      description: 'The image.',
      content: Object.fromEntries(
        IMAGE_MEDIA_TYPES.map((mediaType) => [mediaType, { schema: { type: 'string', format: 'binary' } }]),
      ),
    }),
    ApiNotFoundResponse({ description: '`not_found`' }),
  );
}
