import { Injectable } from '@nestjs/common';
import { REFUSALS, ApiError, MarketData, type MarketDto } from '../../src/index.js';
import {
  EXCHANGE,
  foundSymbolOf,
  kindOfType,
  marketIdOf,
  symbolInfoOf,
  type FoundSymbol,
  type SymbolInfo,
} from './symbol-info.js';
import { UdfError } from './udf-error.js';
import type { SearchQueryDto } from './udf.dto.js';

const FOUND_DEFAULT = 30;
const FOUND_MAX = 200;

/** Markets by the symbols that charts call them. */
@Injectable()
export class SymbolsService {
  constructor(private readonly data: MarketData) {}

  /** Throws a UdfError where there is no such market. */
  async market(symbol: string | undefined): Promise<MarketDto> {
    const market = await this.find(symbol ?? '');
    if (market === undefined) throw new UdfError('unknown_symbol');
    return market;
  }

  async find(symbol: string): Promise<MarketDto | undefined> {
    try {
      return await this.data.market(marketIdOf(symbol));
    } catch (error) {
      if (ApiError.is(error, REFUSALS.market_not_found)) return undefined;
      throw error;
    }
  }

  async info(symbol: string | undefined): Promise<SymbolInfo> {
    return symbolInfoOf(await this.market(symbol));
  }

  async search({ query = '', type = '', exchange = '', limit = '' }: SearchQueryDto): Promise<FoundSymbol[]> {
    if (exchange !== '' && exchange.toLowerCase() !== EXCHANGE.toLowerCase()) return [];
    const kind = kindOfType(type);
    if (type !== '' && kind === undefined) return [];
    const q = marketIdOf(query);
    const { data } = await this.data.markets({ q: q === '' ? undefined : q, kind, limit: limitOf(limit) });
    return data.map(foundSymbolOf);
  }
}

/** What is no count counts as left out. */
function limitOf(text: string): number {
  return /^[1-9]\d*$/.test(text) ? Math.min(Number(text), FOUND_MAX) : FOUND_DEFAULT;
}
