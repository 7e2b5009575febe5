import { ApiProperty } from '@nestjs/swagger';
import { IsInstance } from 'class-validator';
import type { BlogImageEntity } from './blog-image.entity.js';
import { IMAGE_MEDIA_TYPES, mediaTypeOf } from '../../../kit/files/images/image-name.js';

export const IMAGES_PATH = '/blog/images/';

/** The multipart form of `POST /admin/blog/images`. */
export class UploadBlogImageDto {
  /** A PNG, JPEG, GIF or WebP image of at most 10 MB and 50 megapixels. */
  @ApiProperty({ type: 'string', format: 'binary' })
  @IsInstance(Buffer, { message: 'file must be sent as a file, and not be empty' })
  file: Buffer;
}

/** An uploaded image. */
export class BlogImageDto {
  /** @example "3f2a9c0d4b5e6f708192a3b4c5d6e7f8.png" */
  image_name: string;

  /** Where it is served: for the Markdown of posts and pages, and for `feature_image`. */
  @ApiProperty({ format: 'uri' })
  url: string;

  @ApiProperty({ enum: IMAGE_MEDIA_TYPES })
  media_type: string;

  /** As it is stored. */
  @ApiProperty({ type: 'integer' })
  size_bytes: number;

  /** RFC 3339 UTC. */
  created_at: string;
}

export function toBlogImageDto(image: BlogImageEntity, publicUrl: string): BlogImageDto {
  return {
    image_name: image.imageName,
    url: `${publicUrl}${IMAGES_PATH}${image.imageName}`,
    media_type: mediaTypeOf(image.imageName),
    size_bytes: image.sizeBytes,
    created_at: image.createdAt.toISOString(),
  };
}
