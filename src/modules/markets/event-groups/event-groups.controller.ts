import type { ErrorCode } from '../../../kit/http/error-code.js';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { MARKET_NOT_ALLOWED } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { ApiPageResponse, type Page, PageQueryDto } from '../../../kit/http/pagination.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { Public, RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ROLE_REQUIRED } from '../../accounts/access/account-roles.js';
import { OF_SELF_LIMITS } from '../../limits/documented-errors.js';
import { TRADE_REQUIREMENT } from '../orders/order-requirements.js';
import { EventGroupDto, SetsDto, TradedSetsDto } from './event-group.dto.js';
import { EventGroupsService } from './event-groups.service.js';

const GROUP_PARAM = { name: 'event_group_id', example: 'CUP-WINNER' };

const OF_SETS: readonly ErrorCode[] = [
  ...ROLE_REQUIRED,
  REFUSALS.account_not_found,
  REFUSALS.event_group_not_found,
  MARKET_NOT_ALLOWED,
  REFUSALS.account_frozen,
  REFUSALS.market_not_open,
  REFUSALS.invalid_lot,
  REFUSALS.size_out_of_range,
];

@ApiTags('Markets')
@Controller('event-groups')
export class EventGroupsController {
  constructor(private readonly groups: EventGroupsService) {}

  /**
   * List event groups
   * @remarks In order of their ids.
   */
  @Get()
  @Public()
  @ApiPageResponse(EventGroupDto)
  list(@Query() query: PageQueryDto): Page<EventGroupDto> {
    return this.groups.list(query);
  }

  /** Get an event group */
  @Get(':event_group_id')
  @Public()
  @ApiParam(GROUP_PARAM)
  @ApiErrors(REFUSALS.event_group_not_found)
  get(@Param('event_group_id') groupId: string): EventGroupDto {
    return this.groups.get(groupId);
  }

  /**
   * Split money into sets
   * @remarks Buys a contract in every market of the group, together for 1. Where the account is short, its shorts are
   * closed instead, and each of them pays 1 back.
   */
  @Post(':event_group_id/split')
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiParam(GROUP_PARAM)
  @ApiOkResponse({ type: TradedSetsDto })
  @ApiErrors(...OF_SETS, ...OF_SELF_LIMITS, REFUSALS.insufficient_funds)
  async split(
    @CurrentPrincipal() principal: Principal,
    @Param('event_group_id') groupId: string,
    @Body() body: SetsDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TradedSetsDto> {
    return answer(response, await this.groups.trade(principal, 'split', { groupId, body, key }));
  }

  /**
   * Merge sets into money
   * @remarks Gives a contract of every market of the group for 1. Contracts that open sell orders would close stay. Sets
   * that trades complete are merged at once, without this.
   */
  @Post(':event_group_id/merge')
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders')
  @ApiParam(GROUP_PARAM)
  @ApiOkResponse({ type: TradedSetsDto })
  @ApiErrors(...OF_SETS, REFUSALS.insufficient_funds.means('the account has fewer sets'))
  async merge(
    @CurrentPrincipal() principal: Principal,
    @Param('event_group_id') groupId: string,
    @Body() body: SetsDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TradedSetsDto> {
    return answer(response, await this.groups.trade(principal, 'merge', { groupId, body, key }));
  }
}
