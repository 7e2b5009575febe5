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
import { AuthoredPageDto, PageSummaryDto, WritePageDto } from './page.dto.js';
import { PageAuthoringService } from './page-authoring.service.js';

const PAGE_PARAM = { name: 'page_id', example: 'pag_00000000001' };
const SLUG_TAKEN = 'conflict: another page has the slug.';
const CHANGED = 'precondition_failed: somebody changed it since it was read.';

/** Pages, as operators write them. */
@ApiTags('Blog')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/blog/pages')
export class PageAuthoringController {
  constructor(private readonly pages: PageAuthoringService) {}

  @Post()
  @Idempotent()
  @ApiOperation({ summary: 'Write a page' })
  @ApiCreatedResponse({ type: AuthoredPageDto })
  @ApiErrors('validation_failed', SLUG_TAKEN)
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: WritePageDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPageDto> {
    return answerTagged(response, await this.pages.create(principal.id, body));
  }

  @Get()
  @ApiOperation({
    summary: 'List pages in any status',
    description: 'Drafts and scheduled ones, too; those that were made last come first.',
  })
  @ApiPageResponse(PageSummaryDto)
  @ApiErrors('validation_failed', 'invalid_cursor')
  list(@Query() query: ListAuthoredQueryDto): Promise<Page<PageSummaryDto>> {
    return this.pages.list(query);
  }

  @Get(':page_id')
  @ApiOperation({
    summary: 'Get a page in any status',
    description: 'Its `ETag` is what `If-Match` takes when the page is changed or deleted.',
  })
  @ApiParam(PAGE_PARAM)
  @ApiOkResponse({ type: AuthoredPageDto })
  @ApiErrors('not_found')
  async get(
    @Param('page_id') pageId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPageDto> {
    return answerTagged(response, await this.pages.get(pageId));
  }

  @Put(':page_id')
  @ApiIfMatch
  @ApiOperation({
    summary: 'Replace a page',
    description: 'What is left out and has no other meaning is taken away. Its former slugs lead to it.',
  })
  @ApiParam(PAGE_PARAM)
  @ApiOkResponse({ type: AuthoredPageDto })
  @ApiErrors('validation_failed', 'not_found', SLUG_TAKEN, CHANGED)
  async replace(
    @Param('page_id') pageId: string,
    @Headers('if-match') ifMatch: string | undefined,
    @Body() body: WritePageDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPageDto> {
    return answerTagged(response, await this.pages.replace(pageId, ifMatch, body));
  }

  @Delete(':page_id')
  @HttpCode(204)
  @ApiIfMatch
  @ApiOperation({ summary: 'Delete a page', description: 'Its slugs lead nowhere from then on.' })
  @ApiParam(PAGE_PARAM)
  @ApiNoContentResponse({ description: 'The page is deleted.' })
  @ApiErrors('not_found', CHANGED)
  remove(@Param('page_id') pageId: string, @Headers('if-match') ifMatch: string | undefined): Promise<void> {
    return this.pages.remove(pageId, ifMatch);
  }
}
