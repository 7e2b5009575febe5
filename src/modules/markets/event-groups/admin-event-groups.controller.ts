import { Body, Controller, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ChangesNothing } from '../../../kit/audit/audited.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { SAME_PERSON, RELATED_PERSON, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_MARKETS, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { answerDecision } from '../settlements/admin-markets-settlement.controller.js';
import {
  CreateEventGroupDto,
  EventGroupDto,
  ProposedEventGroupDto,
  EventGroupSettlementPreviewDto,
  SettleEventGroupDto,
} from './event-group.dto.js';
import { EventGroupSettlements } from './event-group-settlements.service.js';
import { EventGroupsService } from './event-groups.service.js';

const GROUP_PARAM = { name: 'event_group_id', example: 'CUP-WINNER' };

/** Event groups, as operators make and settle them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_MARKETS))
@Controller('admin/event-groups')
export class AdminEventGroupsController {
  constructor(
    private readonly groups: EventGroupsService,
    private readonly settlements: EventGroupSettlements,
  ) {}

  /**
   * Create an event group
   * @remarks Its markets are settled together from then on: one at 1, all others at 0.
   */
  @Post()
  @ApiErrors(
    REFUSALS.market_not_found,
    REFUSALS.event_group_exists,
    REFUSALS.market_in_event_group,
    REFUSALS.invalid_event_group,
  )
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateEventGroupDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventGroupDto> {
    return answer(response, await this.groups.create(principal, body, key));
  }

  /**
   * Preview the settlement of an event group, or the correction of one
   * @remarks By the engine itself, without changing anything. Refused with what the settlement would be.
   */
  @Post(':event_group_id/settle/preview')
  @HttpCode(200)
  @ChangesNothing()
  @ApiParam(GROUP_PARAM)
  @ApiErrors(
    REFUSALS.event_group_not_found,
    REFUSALS.market_not_found,
    REFUSALS.invalid_status_change,
    REFUSALS.settlement_not_reversible,
  )
  preview(
    @Param('event_group_id') groupId: string,
    @Body() body: SettleEventGroupDto,
  ): Promise<EventGroupSettlementPreviewDto> {
    return this.settlements.preview(groupId, body.winning_market_id);
  }

  /**
   * Settle an event group
   * @remarks All its markets must be closed. With `FOUR_EYES` the first operator proposes (202), and the same market from
   * another one settles. Where holders are many, its markets are `settling` until all have been paid.
   */
  @Post(':event_group_id/settle')
  @HttpCode(200)
  @Idempotent()
  @ApiParam(GROUP_PARAM)
  @ApiOkResponse({ type: EventGroupDto, description: 'Settled.' })
  @ApiAcceptedResponse({ type: ProposedEventGroupDto, description: 'Waits for a second operator.' })
  @ApiErrors(
    REFUSALS.event_group_not_found,
    REFUSALS.market_not_found,
    SAME_PERSON,
    RELATED_PERSON,
    REFUSALS.invalid_status_change.means('a market is open, or they are settled.'),
    CONFLICT.means('another market is proposed.'),
  )
  async settle(
    @CurrentPrincipal() principal: Principal,
    @Param('event_group_id') groupId: string,
    @Body() body: SettleEventGroupDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventGroupDto> {
    const decision = await this.settlements.settle(principal, groupId, body.winning_market_id);
    return answerDecision(response, decision, this.groups.get(groupId));
  }
  /**
   * Correct the settlement of an event group
   * @remarks Another market has won: pays the differences by reversing entries, all of them or none. With `FOUR_EYES`
   * the first operator proposes (202), and the same market from another one corrects.
   */
  @Post(':event_group_id/settlement/correction')
  @HttpCode(200)
  @Idempotent()
  @ApiParam(GROUP_PARAM)
  @ApiOkResponse({ type: EventGroupDto, description: 'Corrected.' })
  @ApiAcceptedResponse({ type: ProposedEventGroupDto, description: 'Waits for a second operator.' })
  @ApiErrors(
    REFUSALS.event_group_not_found,
    REFUSALS.market_not_found,
    SAME_PERSON,
    RELATED_PERSON,
    REFUSALS.invalid_status_change.means('not settled, or this market has won already'),
    REFUSALS.settlement_not_reversible.means('how many accounts lack how much'),
    CONFLICT.means('another market is proposed.'),
  )
  async correct(
    @CurrentPrincipal() principal: Principal,
    @Param('event_group_id') groupId: string,
    @Body() body: SettleEventGroupDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<EventGroupDto> {
    const decision = await this.settlements.correct(principal, groupId, body.winning_market_id);
    return answerDecision(response, decision, this.groups.get(groupId));
  }
}
