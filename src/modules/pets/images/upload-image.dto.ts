import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInstance, IsOptional, IsString, MaxLength } from 'class-validator';

const METADATA_LENGTH_MAX = 1_000;

/** The query of `POST /pet/{petId}/uploadImage`, beside a body that is the file itself. */
export class UploadImageQueryDto {
  /** Words about the image, which come back in the answer. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(METADATA_LENGTH_MAX)
  additionalMetadata?: string;
}

/** The multipart form of `POST /pet/{petId}/uploadImage`. */
export class UploadImageDto extends UploadImageQueryDto {
  /** A PNG, JPEG, GIF or WebP image of at most 10 MB and 50 megapixels. */
  @ApiProperty({ type: 'string', format: 'binary' })
  @IsInstance(Buffer, { message: 'file must be sent as a file, and not be empty' })
  file: Buffer;
}
