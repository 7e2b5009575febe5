import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { VALIDATION_FAILED, INVALID_CURSOR, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../kit/http/pagination.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_CONTENT, OPERATOR_READ, operators } from '../../../kit/security/operator-roles.js';
import { NewsFeedDto } from './news-feed.dto.js';
import { NewsFeedsService } from './news-feeds.service.js';

/** The feeds that news comes from, as operators look after them. */
@ApiTags('News')
@RequireScopes(operators(OPERATOR_CONTENT))
@Controller('admin/news/feeds')
export class NewsFeedsController {
  constructor(private readonly feeds: NewsFeedsService) {}

  /**
   * List the feeds that news comes from
   * @remarks Those that `NEWS_FEEDS` names, with how their last poll went and when the next one is due.
   */
  @Get()
  @RequireScopes(operators(OPERATOR_CONTENT, OPERATOR_READ))
  @ApiPageResponse(NewsFeedDto)
  @ApiErrors(VALIDATION_FAILED, INVALID_CURSOR)
  list(@Query() query: PageQueryDto): Promise<Page<NewsFeedDto>> {
    return this.feeds.list(query);
  }

  /**
   * Poll a feed now
   * @remarks Soon after the answer, whatever its next poll was due at; the list tells how it went.
   */
  @Post(':feed_id/poll')
  @HttpCode(202)
  @ApiErrors(NOT_FOUND)
  poll(@PathParam('feed_id', { example: 'nfd_00000000001' }) feedId: string): Promise<NewsFeedDto> {
    return this.feeds.pollSoon(feedId);
  }
}
