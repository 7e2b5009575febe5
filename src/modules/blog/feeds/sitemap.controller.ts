import { Controller, Get, Header, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiTextResponse } from '../../../kit/http/api-text-response.js';
import { ApiRevalidated, revalidated } from '../../../kit/http/conditional.js';
import { QueryInteger } from '../../../kit/http/validation/query.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { SitemapService } from './sitemap.service.js';

const XML = 'application/xml';

const PAGE_MAX = 1_000_000;

/** The query of `GET /sitemap.xml`. */
export class SitemapQueryDto {
  @QueryInteger(1, PAGE_MAX, 'One of the files that the sitemap lists where it is large.')
  page?: number;
}

/** The blog for search engines. */
@ApiTags('Blog')
@Public()
@Controller('sitemap.xml')
export class SitemapController {
  constructor(private readonly sitemap: SitemapService) {}

  /**
   * The addresses of all posts and pages
   * @remarks With over 10,000 of them, a list of the files that have them, which are its `page`s.
   */
  @Get()
  @Header('Content-Type', XML)
  @ApiRevalidated()
  @ApiTextResponse(XML, 'As sitemaps.org has it.')
  @ApiErrors(NOT_FOUND.means('it has no such page.'))
  async get(
    @Query() { page }: SitemapQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { body, modifiedAt } = await this.sitemap.get(page);
    return revalidated(response, body, modifiedAt);
  }
}
