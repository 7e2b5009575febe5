import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiErrors } from '../../../platform/http/api-errors.js';
import { ApiPageResponse, PageQueryDto, type Page } from '../../../platform/http/pagination.js';
import { RequireScopes } from '../../../platform/security/credentials.js';
import { NewsFeedDto } from './news-feed.dto.js';
import { NewsFeedsService } from './news-feeds.service.js';

/** The feeds that news comes from, as operators look after them. */
@ApiTags('News')
@RequireScopes({ anyOf: ['admin'] })
@Controller('admin/news/feeds')
export class NewsFeedsController {
  constructor(private readonly feeds: NewsFeedsService) {}

  @Get()
  @ApiOperation({
    summary: 'List the feeds that news comes from',
    description: 'Those that `NEWS_FEEDS` names, with how their last poll went and when the next one is due.',
  })
  @ApiPageResponse(NewsFeedDto)
  @ApiErrors('validation_failed', 'invalid_cursor')
  list(@Query() query: PageQueryDto): Promise<Page<NewsFeedDto>> {
    return this.feeds.list(query);
  }

  @Post(':feed_id/poll')
  @HttpCode(202)
  @ApiOperation({
    summary: 'Poll a feed now',
    description: 'Soon after the answer, whatever its next poll was due at; the list tells how it went.',
  })
  @ApiParam({ name: 'feed_id', example: 'nfd_00000000001' })
  @ApiAcceptedResponse({ type: NewsFeedDto })
  @ApiErrors('not_found')
  poll(@Param('feed_id') feedId: string): Promise<NewsFeedDto> {
    return this.feeds.pollSoon(feedId);
  }
}
