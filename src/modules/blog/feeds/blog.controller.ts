import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiTextResponse } from '../../../kit/http/api-text-response.js';
import { ApiRevalidated, revalidated } from '../../../kit/http/conditional.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { FeedsService } from './feeds.service.js';

const RSS = 'application/rss+xml';
const ATOM = 'application/atom+xml';

/** The blog for feed readers. */
@ApiTags('Blog')
@Public()
@Controller('blog')
export class BlogController {
  constructor(private readonly feeds: FeedsService) {}

  /**
   * Posts as an RSS feed
   * @remarks The newest 20, with their whole texts.
   */
  @Get('feed.xml')
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
  @Get('atom.xml')
  @Header('Content-Type', ATOM)
  @ApiRevalidated()
  @ApiTextResponse(ATOM, 'Atom 1.0.')
  async atom(@Res({ passthrough: true }) response: Response): Promise<string> {
    const { body, modifiedAt } = await this.feeds.atom();
    return revalidated(response, body, modifiedAt);
  }
}
