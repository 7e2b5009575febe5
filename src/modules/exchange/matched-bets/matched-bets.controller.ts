import type { ErrorCode } from '../../../kit/http/error-code.js';
import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { MARKET_NOT_ALLOWED } from '../../../kit/http/error-codes.js';
import { QUOTE_NOT_FOUND, MATCHED_BET_NOT_FOUND } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { IdempotencyKeyHeader } from '../../../kit/http/idempotency/idempotency-key.js';
import { answer } from '../../../kit/http/idempotency/replay.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ROLE_REQUIRED } from '../../accounts/access/account-roles.js';
import {
  AcceptQuoteDto,
  ListMatchedBetsQueryDto,
  MatchedBetDto,
  MatchedBetPreviewDto,
  MatchedBetWithFillsDto,
} from './matched-bet.dto.js';
import { OF_SELF_LIMITS } from '../../limits/documented-errors.js';
import { MatchedBetsService } from './matched-bets.service.js';
import { MARKETS_TRADE } from '../../markets/names/scopes.js';

const OF_ACCEPTANCE: readonly ErrorCode[] = [
  ...ROLE_REQUIRED,
  REFUSALS.quote_stale.means('the book has moved away from it.'),
  REFUSALS.quote_expired,
  REFUSALS.quote_already_accepted,
  REFUSALS.account_frozen,
  REFUSALS.market_not_open,
  REFUSALS.insufficient_funds,
  ...OF_SELF_LIMITS,
];

/** Accepted quotes of the caller's own accounts. A foreign one answers like one that does not exist. */
@ApiTags('Exchange')
@RequireScopes({ anyOf: [MARKETS_TRADE] })
@Controller('matched-bets')
export class MatchedBetsController {
  constructor(private readonly bets: MatchedBetsService) {}

  /**
   * Create a matched bet
   * @remarks Accepts a quote: its whole size is filled at once for its notional or better, at the fee rates
   * that were quoted, or nothing is changed. Whatever the book has become better by is the caller’s gain.
   * One bet for each quote, ever. Errors are found in this order: the body (400), the quote (404),
   * `risk_refused` (422), a repeated key with another body (422), `quote_already_accepted`,
   * `account_frozen`, `market_not_open`, `quote_expired`, `quote_stale` (409), `insufficient_funds` (422).
   */
  @Post()
  @RateLimitedAs('orders')
  @ApiCreatedResponse({ type: MatchedBetWithFillsDto, description: 'The new bet, with its fills.' })
  @ApiOkResponse({
    type: MatchedBetWithFillsDto,
    description: 'A repeat by `Idempotency-Key`: the same bet.',
  })
  @ApiErrors(QUOTE_NOT_FOUND, MARKET_NOT_ALLOWED, ...OF_ACCEPTANCE)
  async accept(
    @CurrentPrincipal() principal: Principal,
    @Body() body: AcceptQuoteDto,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MatchedBetWithFillsDto> {
    return answer(response, await this.bets.accept(principal, body, key), 200);
  }

  /**
   * Preview a matched bet
   * @remarks Runs the acceptance of a quote through the same engine and changes nothing. Refused as
   * accepting it would be.
   */
  @Post('preview')
  @HttpCode(200)
  @RateLimitedAs('orders')
  @ApiErrors(QUOTE_NOT_FOUND, MARKET_NOT_ALLOWED, ...OF_ACCEPTANCE)
  preview(
    @CurrentPrincipal() principal: Principal,
    @Body() body: AcceptQuoteDto,
  ): Promise<MatchedBetPreviewDto> {
    return this.bets.preview(principal, body);
  }

  /**
   * List matched bets
   * @remarks Newest first, without their fills. Where few bets meet the filter, a page may be short, even
   * empty, and still have a `next_cursor`.
   */
  @Get()
  @ApiErrors(REFUSALS.account_not_found)
  @ApiPageResponse(MatchedBetDto)
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListMatchedBetsQueryDto,
  ): Promise<Page<MatchedBetDto>> {
    return this.bets.list(principal, query);
  }

  /** Get a matched bet, with its fills */
  @Get(':matched_bet_id')
  @ApiErrors(MATCHED_BET_NOT_FOUND)
  get(
    @CurrentPrincipal() principal: Principal,
    @Param('matched_bet_id') matchedBetId: string,
  ): Promise<MatchedBetWithFillsDto> {
    return this.bets.get(principal, matchedBetId);
  }
}
