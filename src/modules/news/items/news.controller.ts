import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiRevalidated, revalidated } from '../../../platform/http/conditional.js';
import { ApiPageResponse, type Page } from '../../../platform/http/pagination.js';
import { Public } from '../../../platform/security/credentials.js';
import { ListNewsQueryDto, NewsItemDto } from './news-item.dto.js';
import { NewsService } from './news.service.js';

/** What everyone reads: news of feeds, and of operators. */
@ApiTags('News')
@Public()
@Controller('news')
export class NewsController {
  constructor(private readonly news: NewsService) {}

  @Get()
  @ApiOperation({
    summary: 'List or search news',
    description: 'Newest first. A page ends early where its texts would have over 2 MB together.',
  })
  @ApiPageResponse(NewsItemDto)
  @ApiErrors('validation_failed', 'invalid_cursor')
  list(@Query() query: ListNewsQueryDto): Promise<Page<NewsItemDto>> {
    return this.news.list(query);
  }

  @Get(':news_id')
  @ApiRevalidated()
  @ApiOperation({ summary: 'Get a piece of news' })
  @ApiParam({ name: 'news_id', example: 'nws_00000000001' })
  @ApiOkResponse({ type: NewsItemDto })
  @ApiErrors('not_found')
  async get(
    @Param('news_id') newsId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewsItemDto> {
    const item = await this.news.get(newsId);
    return revalidated(response, item, new Date(item.updated_at));
  }
}
