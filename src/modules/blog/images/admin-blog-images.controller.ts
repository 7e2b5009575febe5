import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import {
  VALIDATION_FAILED,
  PAYLOAD_TOO_LARGE,
  INVALID_CURSOR,
  NOT_FOUND,
  CONFLICT,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { UploadBody } from '../../../kit/http/body-policy.js';
import { POINTS } from '../../../kit/rate-limit/points.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_CONTENT, OPERATOR_READ, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { BlogImageDto, UploadBlogImageDto } from './blog-image.dto.js';
import { BlogImagesService } from './blog-images.service.js';

/** The images of posts and pages, as operators send them. */
@ApiTags('Blog')
@RequireScopes(operators(OPERATOR_CONTENT))
@Controller('admin/blog/images')
export class AdminBlogImagesController {
  constructor(private readonly images: BlogImagesService) {}

  /**
   * Upload an image
   * @remarks As a form with `file`, or as the file itself. The image is stored drawn anew, upright and
   * without metadata.
   */
  @Post()
  @Idempotent()
  @UploadBody()
  @RateLimitedAs('writes', () => POINTS.image)
  @ApiErrors(
    VALIDATION_FAILED.means('the image is invalid, or there is none.'),
    PAYLOAD_TOO_LARGE.means('the image has over 10 MB.'),
  )
  upload(@CurrentPrincipal() principal: Principal, @Body() body: UploadBlogImageDto): Promise<BlogImageDto> {
    return this.images.add(principal, body.file);
  }

  /**
   * List images
   * @remarks Newest first.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_CONTENT, OPERATOR_READ))
  @ApiPageResponse(BlogImageDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  list(@Query() query: PageQueryDto): Promise<Page<BlogImageDto>> {
    return this.images.list(query);
  }

  /** Delete an image */
  @Delete(':image_name')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'The image is deleted.' })
  @ApiErrors(NOT_FOUND, CONFLICT.means('a post or page shows it.'))
  remove(@Param('image_name') imageName: string): Promise<void> {
    return this.images.remove(imageName);
  }
}
