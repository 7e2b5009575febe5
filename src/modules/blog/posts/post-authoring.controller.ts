import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiIfMatch } from '../../../platform/http/conditional.js';
import { Idempotent } from '../../../platform/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { CurrentPrincipal } from '../../../platform/security/current-principal.js';
import type { Principal } from '../../../platform/security/principal.js';
import { answerTagged } from '../entries/dated.js';
import { ListAuthoredQueryDto } from '../entries/entry.dto.js';
import { AuthoredPostDto, PostSummaryDto, WritePostDto } from './post.dto.js';
import { PostAuthoringService } from './post-authoring.service.js';

const POST_PARAM = { name: 'post_id', example: 'pst_00000000001' };
const SLUG_TAKEN = 'conflict: another post has the slug.';
const CHANGED = 'precondition_failed: somebody changed it since it was read.';

/** Posts, as operators write them. */
@ApiTags('Blog')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/blog/posts')
export class PostAuthoringController {
  constructor(private readonly posts: PostAuthoringService) {}

  @Post()
  @Idempotent()
  @ApiOperation({ summary: 'Write a post' })
  @ApiCreatedResponse({ type: AuthoredPostDto })
  @ApiErrors('validation_failed', SLUG_TAKEN)
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: WritePostDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPostDto> {
    return answerTagged(response, await this.posts.create(principal.id, body));
  }

  @Get()
  @ApiOperation({
    summary: 'List posts in any status',
    description: 'Drafts and scheduled ones, too; those that were made last come first.',
  })
  @ApiPageResponse(PostSummaryDto)
  @ApiErrors('validation_failed', 'invalid_cursor')
  list(@Query() query: ListAuthoredQueryDto): Promise<Page<PostSummaryDto>> {
    return this.posts.list(query);
  }

  @Get(':post_id')
  @ApiOperation({
    summary: 'Get a post in any status',
    description: 'Its `ETag` is what `If-Match` takes when the post is changed or deleted.',
  })
  @ApiParam(POST_PARAM)
  @ApiOkResponse({ type: AuthoredPostDto })
  @ApiErrors('not_found')
  async get(
    @Param('post_id') postId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPostDto> {
    return answerTagged(response, await this.posts.get(postId));
  }

  @Put(':post_id')
  @ApiIfMatch
  @ApiOperation({
    summary: 'Replace a post',
    description: 'What is left out and has no other meaning is taken away. Its former slugs lead to it.',
  })
  @ApiParam(POST_PARAM)
  @ApiOkResponse({ type: AuthoredPostDto })
  @ApiErrors('validation_failed', 'not_found', SLUG_TAKEN, CHANGED)
  async replace(
    @Param('post_id') postId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: WritePostDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPostDto> {
    return answerTagged(response, await this.posts.replace(postId, ifMatch, body));
  }

  @Delete(':post_id')
  @HttpCode(204)
  @ApiIfMatch
  @ApiOperation({ summary: 'Delete a post', description: 'Its slugs lead nowhere from then on.' })
  @ApiParam(POST_PARAM)
  @ApiNoContentResponse({ description: 'The post is deleted.' })
  @ApiErrors('not_found', CHANGED)
  remove(@Param('post_id') postId: string, @Headers('if-match') ifMatch: string | undefined): Promise<void> {
    return this.posts.remove(postId, ifMatch);
  }
}
