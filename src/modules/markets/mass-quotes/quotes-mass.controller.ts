import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { MARKET_NOT_ALLOWED } from '../../../kit/http/error-codes.js';
import { RISK_REFUSED } from '../errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ROLE_REQUIRED } from '../../accounts/access/account-roles.js';
import { OF_SELF_LIMITS } from '../../limits/documented-errors.js';
import { TRADE_REQUIREMENT } from '../orders/order-requirements.js';
import { costOfQuotes, MASS_QUOTE_EXAMPLES, MassQuoteDto, MassQuoteResultDto } from './mass-quote.dto.js';
import { MassQuotesService } from './mass-quotes.service.js';

/** The quotes of makers, in accounts on which the caller has a role. */
@ApiTags('Markets')
@Controller('quotes/mass')
export class QuotesMassController {
  constructor(private readonly quotes: MassQuotesService) {}

  /**
   * Replace both sides of many markets
   * @remarks An account has one quote at most on each side of a market: a limit order with `origin` `mass_quote`, which
   * only ever rests (`post_only`). Here the bids and asks of the named markets are replaced in one command; a quote whose
   * price and size stay the same keeps its place in the queue. All that go are cancelled first (`replaced`), so that their
   * money is free for those that come; markets of another kind or quote asset follow one after the other. A side that is
   * refused, such as one that would trade at once, has its `error`, and leaves the others alone. Repeating a request does
   * no harm.
   *
   * With `protection`, all quotes of the account, in all markets, are cancelled (`maker_protection`) by the command that
   * makes the last of so many fills within so many seconds. From then on quotes are refused with `quotes_protected` until
   * a request says `reset`. Each side costs one of the requests that the rate limit counts.
   */
  @Post()
  @HttpCode(200)
  @RequireScopes(TRADE_REQUIREMENT)
  @RateLimitedAs('orders', costOfQuotes)
  @ApiBody({ type: MassQuoteDto, examples: MASS_QUOTE_EXAMPLES })
  @ApiErrors(
    ...ROLE_REQUIRED,
    REFUSALS.account_not_found,
    REFUSALS.market_not_found,
    MARKET_NOT_ALLOWED,
    ...OF_SELF_LIMITS,
    REFUSALS.account_frozen,
    REFUSALS.quotes_protected,
    REFUSALS.invalid_tick,
    REFUSALS.invalid_lot,
    RISK_REFUSED,
    REFUSALS.size_out_of_range,
    REFUSALS.price_out_of_range,
  )
  replace(
    @CurrentPrincipal() principal: Principal,
    @Body() body: MassQuoteDto,
    @Req() request: Request,
  ): Promise<MassQuoteResultDto> {
    return this.quotes.replace(principal, body, request.id);
  }
}
