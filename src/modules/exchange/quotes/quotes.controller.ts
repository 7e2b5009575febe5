import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { MARKET_NOT_ALLOWED } from '../../../kit/http/error-codes.js';
import { QUOTE_NOT_FOUND } from '../errors.js';
import { RISK_REFUSED } from '../../markets/errors.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { Idempotent } from '../../../kit/http/idempotency/idempotent.js';
import { ApiPageResponse, type Page } from '../../../kit/http/pagination.js';
import { RateLimitedAs } from '../../../kit/rate-limit/rate-limit.guard.js';
import { RequireScopes } from '../../../kit/security/credential-policy.js';
import { CurrentPrincipal } from '../../../kit/security/current-principal.js';
import type { Principal } from '../../../kit/security/principal.js';
import { ROLE_REQUIRED } from '../../accounts/access/account-roles.js';
import { CREATE_QUOTE_EXAMPLES, CreateQuoteDto, ListQuotesQueryDto, QuoteDto } from './quote.dto.js';
import { OF_SELF_LIMITS } from '../../limits/documented-errors.js';
import { QuotesService } from './quotes.service.js';
import { MARKETS_TRADE } from '../../markets/names/scopes.js';

/** Quotes for the caller's own accounts. A foreign quote answers like one that does not exist. */
@ApiTags('Exchange')
@RequireScopes({ anyOf: [MARKETS_TRADE] })
@Controller('quotes')
export class QuotesController {
  constructor(private readonly quotes: QuotesService) {}

  /**
   * Create a quote
   * @remarks Walks through the orders of others in the live book, for a whole `size`, or for as many lots as
   * a `stake` is enough for. Nothing is reserved: accepting it (`POST /matched-bets`) fills the whole size
   * at this price or better, or changes nothing. Errors are found in this order: the body (400), the account
   * and the market (404), `invalid_lot`, `risk_refused` (422), `account_frozen`, `market_not_open` (409),
   * `size_out_of_range`, `insufficient_liquidity` (422). A quote is kept for a day after it has expired; a matched bet tells its
   * own terms for good.
   */
  @Post()
  @Idempotent()
  @RateLimitedAs('orders')
  @ApiBody({ type: CreateQuoteDto, examples: CREATE_QUOTE_EXAMPLES })
  @ApiErrors(
    ...ROLE_REQUIRED,
    REFUSALS.account_not_found,
    REFUSALS.market_not_found,
    MARKET_NOT_ALLOWED,
    REFUSALS.account_frozen,
    REFUSALS.market_not_open,
    RISK_REFUSED,
    REFUSALS.insufficient_liquidity.means('the orders of others are too few.'),
    REFUSALS.size_out_of_range,
    REFUSALS.invalid_lot,
    ...OF_SELF_LIMITS,
  )
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateQuoteDto): Promise<QuoteDto> {
    return this.quotes.create(principal, body);
  }

  /**
   * List quotes
   * @remarks Newest first. Where few quotes meet the filter, a page may be short, even empty, and still have
   * a `next_cursor`.
   */
  @Get()
  @ApiErrors(REFUSALS.account_not_found)
  @ApiPageResponse(QuoteDto)
  list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListQuotesQueryDto,
  ): Promise<Page<QuoteDto>> {
    return this.quotes.list(principal, query);
  }

  /** Get a quote */
  @Get(':quote_id')
  @ApiErrors(QUOTE_NOT_FOUND)
  get(@CurrentPrincipal() principal: Principal, @Param('quote_id') quoteId: string): Promise<QuoteDto> {
    return this.quotes.get(principal, quoteId);
  }
}
