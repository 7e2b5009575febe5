import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import type { MarketView } from '../../../core/core.types.js';
import { unitsOf } from '../../../domain/market/units.js';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';
import { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { decodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import { type ListMarketsQueryDto, type MarketDto, toMarketDto } from './market.dto.js';
import { type OrderbookDto, toOrderbookDto } from './orderbook.dto.js';
import type { WindowSummary } from './rolling-window.js';
import type { FieldValues } from '../../../domain/fields.js';
import type { FieldReader } from '../../../kit/http/fielded.js';
import { MarketFields } from './market-fields.service.js';
import { TickerService } from './ticker.service.js';

const NOTHING_TRADED: WindowSummary = { volumeLots: 0n, highTicks: null, lowTicks: null };

/** Markets and their books as the last commit left them: read from memory, never from the database. */
@Injectable()
export class MarketCatalogService {
  constructor(
    private readonly core: CoreService,
    private readonly tickers: TickerService,
    /** Those of plugins, which orders and markets show. */
    readonly fields: FieldCatalogue,
    private readonly marketFields: MarketFields,
  ) {}

  /** The market, or `market_not_found`. */
  view(marketId: string): MarketView {
    const market = this.core.market(marketId);
    if (market === undefined)
      throw new ApiError(REFUSALS.market_not_found, 'There is no such market. See GET /markets.');
    return market;
  }

  /** In order of their ids. */
  async list(query: ListMarketsQueryDto): Promise<Page<MarketDto>> {
    const [after] = decodeCursor(query.cursor, ['text']) ?? [''];
    const matches = matcherOf(query, await this.marketFields.all());
    const found: MarketView[] = [];
    for (const market of this.core.markets()) {
      if (market.definition.marketId > after && matches(market)) found.push(market);
      if (found.length > query.limit) break;
    }
    const page = pageOf(
      found,
      query.limit,
      (market) => [market.definition.marketId],
      (market) => this.describe(market),
    );
    return { data: await Promise.all(page.data), next_cursor: page.next_cursor };
  }

  get(marketId: string, reader?: FieldReader): Promise<MarketDto> {
    return this.describe(this.view(marketId), reader);
  }

  orderbook(marketId: string, depth: number): OrderbookDto {
    const { definition } = this.view(marketId);
    return toOrderbookDto(this.core.book(marketId, depth)!, unitsOf(definition));
  }

  async describe(market: MarketView, reader: FieldReader = 'owner'): Promise<MarketDto> {
    const { marketId } = market.definition;
    const stored = await this.marketFields.all();
    const day =
      market.lastPriceTicks === null ? NOTHING_TRADED : await this.tickers.dayOf(market, Date.now());
    return {
      ...toMarketDto(market, this.core.book(marketId, 1), day),
      ...this.fields.shown('markets', stored?.get(marketId), reader),
    };
  }
}

function matcherOf(
  { q, kind, status, category, fields = {} }: ListMarketsQueryDto,
  stored: ReadonlyMap<string, FieldValues> | undefined,
): (market: MarketView) => boolean {
  const text = q?.toLowerCase();
  const wanted = Object.entries(fields);
  return ({ definition, status: current }) =>
    wanted.every(([name, value]) => stored?.get(definition.marketId)?.[name] === value) &&
    (kind === undefined || definition.kind === kind) &&
    (status === undefined || current === status) &&
    (category === undefined || definition.category === category) &&
    (text === undefined ||
      definition.marketId.toLowerCase().includes(text) ||
      definition.title.toLowerCase().includes(text) ||
      definition.description.toLowerCase().includes(text) ||
      definition.category.toLowerCase().includes(text));
}
