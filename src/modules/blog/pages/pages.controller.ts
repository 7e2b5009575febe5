import { Controller, Get, Res } from '@nestjs/common';
import { ApiMovedPermanentlyResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiRevalidated } from '../../../kit/http/conditional.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { answerFound } from '../entries/dated.js';
import { PageDto } from './page.dto.js';
import { PagesService } from './pages.service.js';

/** Pages that stand by themselves, such as `about` and `terms`. */
@ApiTags('Blog')
@Public()
@Controller('blog/pages')
export class PagesController {
  constructor(private readonly pages: PagesService) {}

  /** Get a page */
  @Get(':slug')
  @ApiRevalidated()
  @ApiOkResponse({ type: PageDto })
  @ApiMovedPermanentlyResponse({ description: 'The page has another slug by now, see `Location`.' })
  @ApiErrors(NOT_FOUND)
  async get(
    @PathParam('slug', { example: 'about' }) slug: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageDto | undefined> {
    return answerFound(response, await this.pages.get(slug));
  }
}
