import { Controller, Get, Header, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiTextResponse } from '../../../kit/http/api-text-response.js';
import { ApiRevalidated, revalidated } from '../../../kit/http/conditional.js';
import { QueryInteger } from '../../../kit/http/validation/query.js';
import { Public } from '../../../kit/security/credentials.js';
import { FeedsService } from './feeds.service.js';
import { SitemapService } from './sitemap.service.js';

const RSS = 'application/rss+xml';
const ATOM = 'application/atom+xml';
const XML = 'application/xml';
const PAGE_MAX = 1_000_000;

/** The query of `GET /sitemap.xml`. */
export class SitemapQueryDto {
  @QueryInteger(1, PAGE_MAX, 'One of the files that the sitemap lists where it is large.')
  page?: number;
}

/** The blog for feed readers and search engines. */
@ApiTags('Blog')
@Public()
@Controller()
export class FeedsController {
  constructor(
    private readonly feeds: FeedsService,
    private readonly sitemap: SitemapService,
  ) {}

  /**
   * Posts as an RSS feed
   * @remarks The newest 20, with their whole texts.
   */
  @Get('blog/feed.xml')
  @Header('Content-Type', RSS)
  @ApiRevalidated()
  @ApiTextResponse(RSS, 'RSS 2.0.')
  async rss(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { body, modifiedAt } = await this.feeds.rss();
    return revalidated(response, body, modifiedAt);
  }

  /**
   * Posts as an Atom feed
   * @remarks The newest 20, with their whole texts.
   */
  @Get('blog/atom.xml')
  @Header('Content-Type', ATOM)
  @ApiRevalidated()
  @ApiTextResponse(ATOM, 'Atom 1.0.')
  async atom(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { body, modifiedAt } = await this.feeds.atom();
    return revalidated(response, body, modifiedAt);
  }

  /**
   * The addresses of all posts and pages
   * @remarks With over 10,000 of them, a list of the files that have them, which are its `page`s.
   */
  @Get('sitemap.xml')
  @Header('Content-Type', XML)
  @ApiRevalidated()
  @ApiTextResponse(XML, 'As sitemaps.org has it.')
  @ApiErrors(NOT_FOUND.means('it has no such page.'))
  async site(
    @Query() { page }: SitemapQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const { body, modifiedAt } = await this.sitemap.get(page);
    return revalidated(response, body, modifiedAt);
  }
}
