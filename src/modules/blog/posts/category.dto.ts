import { ApiProperty } from '@nestjs/swagger';

/** A category that has posts. */
export class CategoryDto {
  /** @example "product-news" */
  slug: string;

  /** @example "Product news" */
  name: string;

  /** How many published posts it has. */
  @ApiProperty({ type: 'integer', example: 4 })
  post_count: number;
}
