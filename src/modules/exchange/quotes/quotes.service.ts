import { errorOf } from '../../accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { CoreService } from '../../../core/core.service.js';
import { isRefusal } from '../../../domain/engine/context.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import { amountOf, formatAmount, parseAmount } from '../../../domain/money/amount.js';
import { Settings } from '../../../kit/config/settings.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { decodeCursor, type Page, type Filter, filteredPageOf } from '../../../kit/http/pagination.js';
import { requireAllowedMarket } from '../../../kit/security/allowed-markets.js';
import type { Principal } from '../../../kit/security/principal.js';
import { OrderGate } from '../../limits/order-gate.js';
import { MarketCatalogService } from '../../markets/market-data/market-catalog.service.js';
import { toSizeLots } from '../../markets/orders/order-command.js';
import { QuotePricing } from './quote-pricing.js';
import { QuoteWriter } from './quote-writer.js';
import { type CreateQuoteDto, type ListQuotesQueryDto, type QuoteDto, toQuoteDto } from './quote.dto.js';
import { QuoteEntity, statusSql } from './quote.entity.js';
import { quoteNotFound } from './quoted-terms.js';
import { QUOTE_IDS } from '../ids.js';
import { QUOTE_LIFETIME_MS } from './quote-lifetime.js';

/**
 * Quotes: made from the live book, stored, and read by the account's owner. Errors of making one come in this order:
 * the body, the account, the market, whether the key may trade on it, lots, the house's risk check, the engine's
 * refusals, and then the owner's own limits. For a stake the engine comes first, since only the book determines its size.
 */
@Injectable()
export class QuotesService {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly pricing: QuotePricing,
    private readonly writer: QuoteWriter,
    private readonly limits: OrderGate,
    private readonly answers: AnswerTransaction,
    @InjectRepository(QuoteEntity) private readonly quotes: Repository<QuoteEntity>,
    private readonly settings: Settings,
  ) {}

  /** Resolves once the quote is durable. Nothing is reserved for it. */
  async create(principal: Principal, body: CreateQuoteDto): Promise<QuoteDto> {
    if ((body.size == null) === (body.stake == null)) {
      throw ApiError.validation([{ field: 'size', message: 'give either size or stake' }]);
    }
    const accountId = await this.access.accountIdOf(principal, body.account_id, 'trade');
    const { definition } = this.catalog.view(body.market_id);
    requireAllowedMarket(principal, definition.marketId);
    const terms = { accountId, marketId: definition.marketId, side: body.side };
    const { price, feeRates } =
      body.size == null
        ? await this.pricing.forStake(terms, parseAmount(body.stake!)!, definition)
        : await this.pricing.forSize(terms, lotsOf(body.size, definition), definition);
    const { sizeLots, notional, fee, limitPriceTicks, bookSequence, timeMs } = price;
    const expiresAtMs = timeMs + this.settings.get(QUOTE_LIFETIME_MS);
    await this.limits.requireRoom(principal, {
      command: {
        type: 'accept_quote',
        quoteId: '',
        ...terms,
        sizeLots,
        notionalBound: formatAmount(notional),
        expiresAtMs,
        feeRates,
      },
      market: definition,
    });
    const quote = {
      ...terms,
      sizeLots,
      notional,
      fee,
      limitPriceTicks,
      makerFeeRate: feeRates && amountOf(feeRates.maker),
      takerFeeRate: feeRates && amountOf(feeRates.taker),
      bookSequence,
      createdAt: new Date(timeMs),
      expiresAt: new Date(expiresAtMs),
    };
    const answer = (quoteId: string): QuoteDto =>
      toQuoteDto({ ...quote, quoteId, status: 'open', orderId: null }, definition);
    if (!this.answers.isNeeded) return answer(await this.writer.write(quote));
    // A recorded answer goes into the transaction of its quote, so that one cannot be written with others.
    return this.answers.run(async (manager) => answer(await this.writer.writeIn(manager, quote)));
  }

  /** One of the principal's quotes, whichever of its accounts it is for. Throws `quote_not_found`. */
  async get(principal: Principal, id: string): Promise<QuoteDto> {
    await this.core.projected();
    const quote = QUOTE_IDS.parse(id) === undefined ? null : await this.quotes.findOneBy({ quoteId: id });
    if (quote === null || !(await this.access.reaches(principal, quote.accountId, 'read')))
      throw quoteNotFound();
    return this.toDto(quote);
  }

  /**
   * Newest first. Where few quotes meet the filter, a page may be shorter than its limit, even empty, and
   * still have a next one. Throws `account_not_found`, `invalid_cursor`.
   */
  async list(principal: Principal, query: ListQuotesQueryDto): Promise<Page<QuoteDto>> {
    const accountId = await this.access.accountIdOf(principal, query.account_id, 'read');
    const before = decodeCursor(query.cursor, ['text'])?.[0];
    await this.core.projected();
    const selection = this.quotes.createQueryBuilder('q').where('q.account_id = :accountId', { accountId });
    if (before !== undefined) selection.andWhere('q.quote_id < :before', { before });

    const filters: Filter[] = [];
    if (query.market_id !== undefined) {
      filters.push(['q.market_id = :marketId', { marketId: query.market_id }]);
    }
    if (query.status !== undefined) {
      filters.push([`${statusSql('q')} IN (:...statuses)`, { statuses: query.status.split(',') }]);
    }
    return filteredPageOf(selection, {
      key: 'q.quoteId',
      keyOf: ({ quoteId }) => quoteId,
      filters,
      limit: query.limit,
      toItem: (quote) => this.toDto(quote),
    });
  }

  private toDto(quote: QuoteEntity): QuoteDto {
    return toQuoteDto(quote, this.catalog.view(quote.marketId).definition);
  }
}

/** Throws `invalid_lot`, `size_out_of_range`. */
function lotsOf(size: string, definition: MarketDefinition): number {
  const sizeLots = toSizeLots(size, definition);
  if (isRefusal(sizeLots)) throw errorOf(sizeLots);
  return sizeLots;
}
