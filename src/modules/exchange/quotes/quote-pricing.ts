import { errorOf } from '../../accounts/commands/refusals.js';
import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import { isRefusal } from '../../../domain/engine/context.js';
import {
  quotedOrder,
  type QuotedTerms,
  type QuotePrice,
  type QuoteRequest,
} from '../../../domain/engine/quotes.js';
import type { MarketDefinition } from '../../../domain/engine/types.js';
import type { Amount } from '../../../domain/money/amount.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { OrderPolicies } from '../../markets/orders/order-policies.js';

/** How often a stake is priced where the book moves between asking the house and asking the book. */
const PRICINGS_MAX = 5;

type Terms = Omit<QuotedTerms, 'feeRates'>;
type FeeRates = QuotedTerms['feeRates'];

/** What the book asks or gives, at the fee rates of the house. */
export interface PricedQuote {
  readonly price: QuotePrice;
  /** The house's own verdict; null = the market's rates. */
  readonly feeRates: FeeRates;
}

/** Asks the house and the engine what a quote may be made for. Both throw under their own codes. */
@Injectable()
export class QuotePricing {
  constructor(
    private readonly core: CoreService,
    private readonly policies: OrderPolicies,
  ) {}

  /** Throws `risk_refused`, and then what the engine refuses. */
  async forSize(terms: Terms, sizeLots: number, definition: MarketDefinition): Promise<PricedQuote> {
    const feeRates = await this.askHouse({ ...terms, sizeLots }, definition);
    return { price: await this.ask({ ...terms, feeRates, sizeLots }), feeRates };
  }

  /**
   * The house's verdict depends on the size, and the size on the book, so both are computed in turns until they agree
   * on the size. Throws the engine's refusals, `risk_refused`, and `temporarily_unavailable` if the book keeps
   * changing.
   */
  async forStake(terms: Terms, stake: Amount, definition: MarketDefinition): Promise<PricedQuote> {
    let price = await this.ask({ ...terms, feeRates: null, stake });
    if (this.policies.areDefaults) return { price, feeRates: null };
    for (let pricing = 1; pricing < PRICINGS_MAX; pricing++) {
      const { sizeLots } = price;
      const feeRates = await this.askHouse({ ...terms, sizeLots }, definition);
      price = await this.ask({ ...terms, feeRates, stake });
      if (price.sizeLots === sizeLots) return { price, feeRates };
    }
    throw new ApiError(TEMPORARILY_UNAVAILABLE, 'The book moves too fast. Try again, or ask for a size.', {
      headers: { 'Retry-After': '1' },
    });
  }

  /** About the order that accepting the quote places. */
  private async askHouse(
    terms: Terms & { readonly sizeLots: number },
    definition: MarketDefinition,
  ): Promise<FeeRates> {
    if (this.policies.areDefaults) return null;
    const order = quotedOrder(terms);
    await this.policies.review(order, definition);
    return this.policies.ratesFor(order, definition);
  }

  private async ask(request: QuoteRequest): Promise<QuotePrice> {
    const price = await this.core.priceQuote(request);
    if (isRefusal(price)) throw errorOf(price);
    return price;
  }
}
