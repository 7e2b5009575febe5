import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiMovedPermanentlyResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { VALIDATION_FAILED, INVALID_CURSOR, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiRevalidated, revalidated } from '../../../kit/http/conditional.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { answerFound } from '../entries/dated.js';
import { ListPostsQueryDto, PostDto } from './post.dto.js';
import { PostsService } from './posts.service.js';

/** What everyone reads: posts and their categories. Drafts, and what is scheduled for later, are not there. */
@ApiTags('Blog')
@Public()
@Controller('blog/posts')
export class PostsController {
  constructor(private readonly posts: PostsService) {}

  /**
   * List or search posts
   * @remarks Newest first. A page ends early where its texts would have over 2 MB together.
   */
  @Get()
  @ApiRevalidated()
  @ApiPageResponse(PostDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  async list(
    @Query() query: ListPostsQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page<PostDto>> {
    const { body, modifiedAt } = await this.posts.list(query);
    return revalidated(response, body, modifiedAt);
  }

  /** Get a post */
  @Get(':slug')
  @ApiRevalidated()
  @ApiOkResponse({ type: PostDto })
  @ApiMovedPermanentlyResponse({ description: 'The post has another slug by now, see `Location`.' })
  @ApiErrors(NOT_FOUND)
  async get(
    @PathParam('slug', { example: 'welcome-to-tradepost' }) slug: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PostDto | undefined> {
    return answerFound(response, await this.posts.get(slug));
  }
}
