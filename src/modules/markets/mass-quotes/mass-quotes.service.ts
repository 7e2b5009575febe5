import { errorOf } from '../../accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import type { MassQuote, QuotedMarket, QuotedSide, QuoteOutcome } from '../../../domain/engine/commands.js';
import { isRefusal } from '../../../domain/engine/context.js';
import type { MarketDefinition, Side } from '../../../domain/engine/types.js';
import { requireAllowedMarket } from '../../../kit/security/allowed-markets.js';
import { actorOf, type Principal } from '../../../kit/security/principal.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { resultOf } from '../../accounts/commands/outcome.js';
import { type GatedOrder, OrderGate } from '../../limits/order-gate.js';
import { MarketCatalogService } from '../market-data/market-catalog.service.js';
import { toPlaceOrder } from '../orders/order-command.js';
import { OrderPolicies } from '../orders/order-policies.js';
import { type OrderResultDto, refusedResult } from '../orders/order-batch.dto.js';
import { toOrderWithFillsDto } from '../orders/order.dto.js';
import type {
  MassQuoteDto,
  MassQuoteResultDto,
  QuotedMarketDto,
  QuotedMarketResultDto,
  QuotedSideDto,
} from './mass-quote.dto.js';

/** The quotes of makers, in many markets at once. */
@Injectable()
export class MassQuotesService {
  constructor(
    private readonly access: AccountAccessService,
    private readonly catalog: MarketCatalogService,
    private readonly policies: OrderPolicies,
    private readonly limits: OrderGate,
  ) {}

  /**
   * Resolves once everything is durable. Throws, before anything has changed, what concerns the whole request, and figures
   * that a market cannot count; what else stands against one side is its own result.
   */
  async replace(principal: Principal, body: MassQuoteDto, requestId: string): Promise<MassQuoteResultDto> {
    const accountId =
      body.account_id == null
        ? this.access.ownAccountId(principal)
        : await this.access.accountIdOf(principal, body.account_id, 'trade');
    // An allowance is for markets of one kind and quote asset.
    const alike = new Map<string, GatedOrder<MassQuote>>();
    for (const quote of body.quotes) {
      const { definition } = this.catalog.view(quote.market_id);
      requireAllowedMarket(principal, definition.marketId);
      const quoted = await this.toQuoted(quote, definition, accountId);
      const key = `${definition.kind} ${definition.quoteAsset}`;
      const known = alike.get(key)?.command.quotes ?? [];
      const command = { type: 'mass_quote', accountId, quotes: [...known, quoted] } as const;
      alike.set(key, { command, market: definition });
    }
    const gatedOrders = [...alike.values()].map((gated, index) =>
      index === 0 ? { ...gated, command: { ...gated.command, ...protectionOf(body) } } : gated,
    );
    const { outcomes } = await this.limits.submit(principal, gatedOrders, { actor: actorOf(principal) });
    const results = new Map<string, QuotedMarketResultDto>();
    for (const outcome of outcomes) {
      for (const { marketId, bid, ask } of resultOf(outcome, 'quoted').quotes) {
        const { definition } = this.catalog.view(marketId);
        const describe = (side: QuoteOutcome | null) => this.toResult(side, definition, requestId);
        results.set(marketId, { market_id: marketId, bid: describe(bid), ask: describe(ask) });
      }
    }
    return { quotes: body.quotes.map(({ market_id: marketId }) => results.get(marketId)!) };
  }

  private async toQuoted(
    quote: QuotedMarketDto,
    definition: MarketDefinition,
    accountId: number,
  ): Promise<QuotedMarket> {
    const bid = await this.sideOf('buy', quote.bid, definition, accountId);
    const ask = await this.sideOf('sell', quote.ask, definition, accountId);
    return { marketId: definition.marketId, bid, ask };
  }

  /** As an order that the house has reviewed. */
  private async sideOf(
    side: Side,
    quoted: QuotedSideDto | undefined,
    definition: MarketDefinition,
    accountId: number,
  ): Promise<QuotedSide | null> {
    if (quoted == null) return null;
    const order = {
      market_id: definition.marketId,
      side,
      type: 'limit',
      post_only: true,
      ...quoted,
    } as const;
    const command = toPlaceOrder(order, definition, accountId);
    if (isRefusal(command)) throw errorOf(command);
    const { sizeLots, feeRates } = await this.policies.applyTo(command, definition);
    return { priceTicks: command.priceTicks!, sizeLots, feeRates };
  }

  private toResult(
    side: QuoteOutcome | null,
    definition: MarketDefinition,
    requestId: string,
  ): OrderResultDto | null {
    if (side === null) return null;
    const { order } = side;
    if (order !== null) return { order: toOrderWithFillsDto(order, [], definition, this.catalog.fields) };
    return { error: refusedResult(errorOf(side.refusal), requestId).error };
  }
}

function protectionOf({ protection }: MassQuoteDto): Pick<MassQuote, 'protection'> {
  if (protection == null) return {};
  const { fills, seconds, reset = false } = protection;
  if (fills === 0) return { protection: null };
  return { protection: { fills, windowMs: seconds * 1_000, reset } };
}
