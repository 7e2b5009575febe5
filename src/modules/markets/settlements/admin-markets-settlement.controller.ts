import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiNoContentResponse, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ChangesNothing } from '../../../kit/audit/audited.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { OPERATOR_MARKETS, OPERATOR_READ, operators } from '../../../kit/security/operator-roles.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import {
  ProposedSettlementDto,
  SettlementPreviewDto,
  SettlementStateDto,
  SettlementValueDto,
} from './settlement.dto.js';
import { type SettlementDecision, SettlementsService } from './settlements.service.js';

const MARKET_PARAM = { name: 'market_id', example: 'RAIN-LISBON' };

/** How event markets are settled, looked at before, and put right after. */
@ApiTags('Admin')
@RequireScopes(operators(OPERATOR_MARKETS))
@Controller('admin/markets')
@ApiParam(MARKET_PARAM)
@ApiErrors(REFUSALS.market_not_found)
export class AdminMarketsSettlementController {
  constructor(private readonly settlements: SettlementsService) {}

  /** See where the settlement of a market stands */
  @Get(':market_id/settlement')
  @RequireScopes(operators(OPERATOR_MARKETS, OPERATOR_READ))
  state(@Param('market_id') marketId: string): Promise<SettlementStateDto> {
    return this.settlements.state(marketId);
  }

  /**
   * Preview a settlement, or the correction of one
   * @remarks By the engine itself, without changing anything. Refused with what the settlement would be.
   */
  @Post(':market_id/settlement/preview')
  @HttpCode(200)
  @ChangesNothing()
  @ApiErrors(
    REFUSALS.invalid_status_change,
    REFUSALS.invalid_amount,
    REFUSALS.amount_too_precise,
    REFUSALS.settlement_not_reversible,
  )
  preview(
    @Param('market_id') marketId: string,
    @Body() body: SettlementValueDto,
  ): Promise<SettlementPreviewDto> {
    return this.settlements.preview(marketId, body.settlement_value);
  }

  /**
   * Correct a settlement
   * @remarks Pays the differences to another value by reversing entries, all of them or none. With
   * `FOUR_EYES` the first operator proposes (202), and the same value from another one corrects.
   */
  @Post(':market_id/settlement/correction')
  @HttpCode(200)
  @Idempotent()
  @ApiOkResponse({ type: SettlementStateDto, description: 'Corrected.' })
  @ApiAcceptedResponse({ type: ProposedSettlementDto, description: 'Waits for a second operator.' })
  @ApiErrors(
    REFUSALS.invalid_status_change.means('not settled, or at this value already'),
    CONFLICT.means('another value is proposed.'),
    REFUSALS.settlement_not_reversible.means('how many accounts lack how much'),
    REFUSALS.invalid_amount,
    REFUSALS.amount_too_precise,
  )
  async correct(
    @CurrentPrincipal() principal: Principal,
    @Param('market_id') marketId: string,
    @Body() body: SettlementValueDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SettlementStateDto> {
    const decision = await this.settlements.correct(principal, marketId, body.settlement_value);
    return answerDecision(response, decision, await this.settlements.state(marketId));
  }

  /**
   * Withdraw a proposed settlement
   * @remarks Any operator may.
   */
  @Delete(':market_id/settlement/proposal')
  @HttpCode(204)
  @ApiNoContentResponse()
  withdraw(@CurrentPrincipal() principal: Principal, @Param('market_id') marketId: string): Promise<void> {
    return this.settlements.withdraw(principal, marketId);
  }
}

/** 202, with the approval, says that the request was understood and nothing has happened yet. */
export function answerDecision<T extends object>(
  response: Response,
  decision: SettlementDecision,
  body: T,
): T {
  if (decision === 'settled') return body;
  response.status(202);
  return { ...body, ...decision };
}
