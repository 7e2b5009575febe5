import { Body, Controller, Param, Patch, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { SAME_PERSON, RELATED_PERSON, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_MARKETS, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { MarketDto } from '../market-data/market.dto.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { answerDecision } from '../settlements/admin-markets-settlement.controller.js';
import { CreateMarketDto, ProposedMarketDto, UpdateMarketDto } from './market-operations.dto.js';
import { MarketOperationsService } from './market-operations.service.js';

/** Markets, as operators make and change them. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_MARKETS))
@Controller('admin/markets')
export class AdminMarketsController {
  constructor(private readonly operations: MarketOperationsService) {}

  /**
   * Create a market
   * @remarks Open at once, unless `opens_at` is ahead.
   */
  @Post()
  @ApiErrors(
    REFUSALS.asset_not_found,
    REFUSALS.market_exists,
    REFUSALS.invalid_market.means('arithmetic would not be exact, or bounds contradict.'),
  )
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateMarketDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MarketDto> {
    return answer(response, await this.operations.createMarket(principal, body, key));
  }

  /**
   * Change a market, or open, halt, close or settle it
   * @remarks Words, fees, bounds and `closes_at` change until it settles. Fees and bounds are those of orders to come:
   * open orders keep their fee rates, and stay where they are; stops are held to the bounds when they trigger, and an
   * amendment when it is made. With `FOUR_EYES` the first operator who settles proposes (202, nothing has happened yet), and
   * the same value from another one settles. A market that more than 1,000 accounts hold is `settling` until
   * all of them have been paid, in parts between the orders of others; see its settlement.
   */
  @Patch(':market_id')
  @ApiOkResponse({ type: MarketDto })
  @ApiAcceptedResponse({
    type: ProposedMarketDto,
    description: 'The settlement waits for a second operator.',
  })
  @ApiErrors(
    REFUSALS.market_not_found,
    SAME_PERSON,
    RELATED_PERSON,
    REFUSALS.invalid_status_change.means('it cannot become that, or it has been settled.'),
    REFUSALS.invalid_market.means('bounds contradict, or closes_at is past.'),
    CONFLICT.means('another settlement value is proposed.'),
    REFUSALS.invalid_amount.means('settlement_value is above 1'),
    REFUSALS.amount_too_precise,
  )
  async update(
    @CurrentPrincipal() principal: Principal,
    @Param('market_id') marketId: string,
    @Body() body: UpdateMarketDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MarketDto> {
    const { market, decision } = await this.operations.updateMarket(principal, marketId, body);
    return decision === undefined ? market : answerDecision(response, decision, market);
  }
}
