import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  VALIDATION_FAILED,
  INVALID_CURSOR,
  NOT_FOUND,
  CONFLICT,
  PRECONDITION_FAILED,
} from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { IfMatch } from '../../../kit/http/conditional.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_CONTENT, OPERATOR_READ, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { answerTagged } from '../entries/dated.js';
import { ListAuthoredQueryDto } from '../entries/entry.dto.js';
import { AuthoredPostDto, PostSummaryDto, WritePostDto } from './post.dto.js';
import { PostAuthoringService } from './post-authoring.service.js';

const PostId = (): ParameterDecorator => PathParam('post_id', { example: 'pst_00000000001' });
const SLUG_TAKEN = CONFLICT.means('another post has the slug.');
const CHANGED = PRECONDITION_FAILED.means('somebody changed it since it was read.');

/** Posts, as operators write them. */
@ApiTags('Blog')
@RequireScopes(operators(OPERATOR_CONTENT))
@Controller('admin/blog/posts')
export class AdminBlogPostsController {
  constructor(private readonly posts: PostAuthoringService) {}

  /** Write a post */
  @Post()
  @Idempotent()
  @ApiErrors(VALIDATION_FAILED, SLUG_TAKEN)
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: WritePostDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPostDto> {
    return answerTagged(response, await this.posts.create(principal.id, body));
  }

  /**
   * List posts in any status
   * @remarks Drafts and scheduled ones, too; those that were made last come first.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_CONTENT, OPERATOR_READ))
  @ApiPageResponse(PostSummaryDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  list(@Query() query: ListAuthoredQueryDto): Promise<Page<PostSummaryDto>> {
    return this.posts.list(query);
  }

  /**
   * Get a post in any status
   * @remarks Its `ETag` is what `If-Match` takes when the post is changed or deleted.
   */
  @Get(':post_id')
  @RequireScopes(operators(OPERATOR_CONTENT, OPERATOR_READ))
  @ApiErrors(NOT_FOUND)
  async get(
    @PostId() postId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPostDto> {
    return answerTagged(response, await this.posts.get(postId));
  }

  /**
   * Replace a post
   * @remarks What is left out and has no other meaning is taken away. Its former slugs lead to it.
   */
  @Put(':post_id')
  @ApiErrors(VALIDATION_FAILED, NOT_FOUND, SLUG_TAKEN, CHANGED)
  async replace(
    @PostId() postId: string,
    @IfMatch() ifMatch: string | undefined,
    @Body() body: WritePostDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPostDto> {
    return answerTagged(response, await this.posts.replace(postId, ifMatch, body));
  }

  /**
   * Delete a post
   * @remarks Its slugs lead nowhere from then on.
   */
  @Delete(':post_id')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'The post is deleted.' })
  @ApiErrors(NOT_FOUND, CHANGED)
  remove(@PostId() postId: string, @IfMatch() ifMatch: string | undefined): Promise<void> {
    return this.posts.remove(postId, ifMatch);
  }
}
