import { Injectable } from '@nestjs/common';
import { CoreService } from '../../../core/core.service.js';
import { ApiError } from '../../../platform/http/errors.js';

/** Markets by what texts call them. */
interface KnownSymbols {
  readonly markets: ReadonlySet<string>;
  /** By the code of their base asset, such as `BTC`. */
  readonly marketsOfAsset: ReadonlyMap<string, readonly string[]>;
}

/** `BTC-USD` or `$BTC`, as headlines write them. */
const SYMBOLS_IN_TEXT = /\$[A-Z][A-Z0-9]{1,15}\b|\b[A-Z0-9]+(?:-[A-Z0-9]+)+\b/g;

/** Which markets news is about. */
@Injectable()
export class MarketSymbols {
  constructor(private readonly core: CoreService) {}

  /** Throws `market_not_found` (404) where one of them is no market. */
  requireMarkets(symbols: readonly string[]): void {
    const unknown = symbols.find((symbol) => this.core.market(symbol) === undefined);
    if (unknown !== undefined) throw new ApiError('market_not_found', `There is no market ${unknown}.`);
  }

  /**
   * The markets that an entry of a feed names: its categories are a market or the asset that one trades, or its
   * headline has a market's id or an asset's code with a `$`. Words that merely look like a code say nothing.
   */
  namedBy(categories: readonly string[], headline: string): string[] {
    const known = this.known();
    const names = [...categories, ...(headline.match(SYMBOLS_IN_TEXT) ?? [])];
    const symbols = names.flatMap((name) => {
      const symbol = name.trim().replace(/^\$/, '').toUpperCase();
      return known.markets.has(symbol) ? [symbol] : (known.marketsOfAsset.get(symbol) ?? []);
    });
    return [...new Set(symbols)].sort();
  }

  private known(): KnownSymbols {
    const definitions = this.core.markets().map(({ definition }) => definition);
    const marketsOfAsset = new Map<string, string[]>();
    for (const { marketId, baseAsset } of definitions) {
      if (baseAsset === null) continue;
      marketsOfAsset.set(baseAsset, [...(marketsOfAsset.get(baseAsset) ?? []), marketId]);
    }
    return { markets: new Set(definitions.map(({ marketId }) => marketId)), marketsOfAsset };
  }
}
