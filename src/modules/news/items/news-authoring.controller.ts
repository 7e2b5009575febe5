import { Body, Controller, Delete, HttpCode, Param, Patch, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { Idempotent } from '../../../platform/http/idempotency/idempotent.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { ChangeNewsDto, NewsItemDto, WriteNewsDto } from './news-item.dto.js';
import { NewsAuthoringService } from './news-authoring.service.js';

const NEWS_PARAM = { name: 'news_id', example: 'nws_00000000001' };

/** News, as operators write it, and put right what feeds bring. */
@ApiTags('News')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/news')
export class NewsAuthoringController {
  constructor(private readonly news: NewsAuthoringService) {}

  @Post()
  @Idempotent()
  @ApiOperation({ summary: 'Publish a piece of news' })
  @ApiCreatedResponse({ type: NewsItemDto })
  @ApiErrors('validation_failed', 'market_not_found')
  create(@Body() body: WriteNewsDto): Promise<NewsItemDto> {
    return this.news.create(body);
  }

  @Patch(':news_id')
  @ApiOperation({
    summary: 'Change a piece of news',
    description: 'What a feed brought is left alone by the feed from then on.',
  })
  @ApiParam(NEWS_PARAM)
  @ApiOkResponse({ type: NewsItemDto })
  @ApiErrors('validation_failed', 'not_found', 'market_not_found')
  change(@Param('news_id') newsId: string, @Body() body: ChangeNewsDto): Promise<NewsItemDto> {
    return this.news.change(newsId, body);
  }

  @Delete(':news_id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Remove a piece of news',
    description: 'For good: what a feed brought is not taken from it again.',
  })
  @ApiParam(NEWS_PARAM)
  @ApiNoContentResponse({ description: 'It is removed.' })
  @ApiErrors('not_found')
  remove(@Param('news_id') newsId: string): Promise<void> {
    return this.news.remove(newsId);
  }
}
