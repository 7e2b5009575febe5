import { Body, Controller, Delete, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_CONTENT, operators } from '../../../kit/security/operator-roles.js';
import { ChangeNewsDto, NewsItemDto, WriteNewsDto } from './news-item.dto.js';
import { NewsAuthoringService } from './news-authoring.service.js';

const NewsId = (): ParameterDecorator => PathParam('news_id', { example: 'nws_00000000001' });

/** News, as operators write it, and put right what feeds bring. */
@ApiTags('News')
@RequireScopes(operators(OPERATOR_CONTENT))
@Controller('admin/news')
export class AdminNewsController {
  constructor(private readonly news: NewsAuthoringService) {}

  /** Publish a piece of news */
  @Post()
  @Idempotent()
  @ApiErrors(VALIDATION_FAILED, REFUSALS.market_not_found)
  create(@Body() body: WriteNewsDto): Promise<NewsItemDto> {
    return this.news.create(body);
  }

  /**
   * Change a piece of news
   * @remarks What a feed brought is left alone by the feed from then on.
   */
  @Patch(':news_id')
  @ApiErrors(VALIDATION_FAILED, NOT_FOUND, REFUSALS.market_not_found)
  change(@NewsId() newsId: string, @Body() body: ChangeNewsDto): Promise<NewsItemDto> {
    return this.news.change(newsId, body);
  }

  /**
   * Remove a piece of news
   * @remarks For good: what a feed brought is not taken from it again.
   */
  @Delete(':news_id')
  @HttpCode(204)
  @ApiNoContentResponse({ description: 'It is removed.' })
  @ApiErrors(NOT_FOUND)
  remove(@NewsId() newsId: string): Promise<void> {
    return this.news.remove(newsId);
  }
}
