import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { VALIDATION_FAILED, INVALID_CURSOR } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiRevalidated, revalidated } from '../../../kit/http/conditional.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { CategoryDto } from './category.dto.js';
import { PostsService } from './posts.service.js';

/** Categories of the blog's posts. */
@ApiTags('Blog')
@Public()
@Controller('blog/categories')
export class CategoriesController {
  constructor(private readonly posts: PostsService) {}

  /**
   * List categories
   * @remarks Those that have published posts, in the order of their slugs.
   */
  @Get()
  @ApiRevalidated()
  @ApiPageResponse(CategoryDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  async list(
    @Query() query: PageQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page<CategoryDto>> {
    const { body, modifiedAt } = await this.posts.listCategories(query);
    return revalidated(response, body, modifiedAt);
  }
}
