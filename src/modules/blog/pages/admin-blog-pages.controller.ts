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
import { AuthoredPageDto, PageSummaryDto, WritePageDto } from './page.dto.js';
import { PageAuthoringService } from './page-authoring.service.js';

const PageId = (): ParameterDecorator => PathParam('page_id', { example: 'pag_00000000001' });
const SLUG_TAKEN = CONFLICT.means('another page has the slug.');
const CHANGED = PRECONDITION_FAILED.means('somebody changed it since it was read.');

/** Pages, as operators write them. */
@ApiTags('Blog')
@RequireScopes(operators(OPERATOR_CONTENT))
@Controller('admin/blog/pages')
export class AdminBlogPagesController {
  constructor(private readonly pages: PageAuthoringService) {}

  /** Write a page */
  @Post()
  @Idempotent()
  @ApiErrors(VALIDATION_FAILED, SLUG_TAKEN)
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: WritePageDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPageDto> {
    return answerTagged(response, await this.pages.create(principal.id, body));
  }

  /**
   * List pages in any status
   * @remarks Drafts and scheduled ones, too; those that were made last come first.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_CONTENT, OPERATOR_READ))
  @ApiPageResponse(PageSummaryDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  list(@Query() query: ListAuthoredQueryDto): Promise<Page<PageSummaryDto>> {
    return this.pages.list(query);
  }

  /**
   * Get a page in any status
   * @remarks Its `ETag` is what `If-Match` takes when the page is changed or deleted.
   */
  @Get(':page_id')
  @RequireScopes(operators(OPERATOR_CONTENT, OPERATOR_READ))
  @ApiErrors(NOT_FOUND)
  async get(
    @PageId() pageId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPageDto> {
    return answerTagged(response, await this.pages.get(pageId));
  }

  /**
   * Replace a page
   * @remarks What is left out and has no other meaning is taken away. Its former slugs lead to it.
   */
  @Put(':page_id')
  @ApiErrors(VALIDATION_FAILED, NOT_FOUND, SLUG_TAKEN, CHANGED)
  async replace(
    @PageId() pageId: string,
    @IfMatch() ifMatch: string | undefined,
    @Body() body: WritePageDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AuthoredPageDto> {
    return answerTagged(response, await this.pages.replace(pageId, ifMatch, body));
  }

  /**
   * Delete a page
   * @remarks Its slugs lead nowhere from then on.
   */
  @Delete(':page_id')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'The page is deleted.' })
  @ApiErrors(NOT_FOUND, CHANGED)
  remove(@PageId() pageId: string, @IfMatch() ifMatch: string | undefined): Promise<void> {
    return this.pages.remove(pageId, ifMatch);
  }
}
