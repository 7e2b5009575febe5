import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { VALIDATION_FAILED, INVALID_CURSOR, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiRevalidated, revalidated } from '../../../kit/http/conditional.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { ListNewsQueryDto, NewsItemDto } from './news-item.dto.js';
import { NewsService } from './news.service.js';

/** What everyone reads: news of feeds, and of operators. */
@ApiTags('News')
@Public()
@Controller('news')
export class NewsController {
  constructor(private readonly news: NewsService) {}

  /**
   * List or search news
   * @remarks Newest first. A page ends early where its texts would have over 2 MB together.
   */
  @Get()
  @ApiRevalidated({ dated: false })
  @ApiPageResponse(NewsItemDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  async list(
    @Query() query: ListNewsQueryDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Page<NewsItemDto>> {
    return revalidated(response, await this.news.list(query));
  }

  /** Get a piece of news */
  @Get(':news_id')
  @ApiRevalidated()
  @ApiErrors(NOT_FOUND)
  async get(
    @PathParam('news_id', { example: 'nws_00000000001' }) newsId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewsItemDto> {
    const item = await this.news.get(newsId);
    return revalidated(response, item, new Date(item.updated_at));
  }
}
