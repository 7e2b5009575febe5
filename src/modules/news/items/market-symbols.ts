import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiError } from '../../../kit/http/errors.js';

/** `BTC-USD` or `$BTC`, as headlines write them. */
const SYMBOLS_IN_TEXT = /\$[A-Z][A-Z0-9]{1,15}\b|\b[A-Z0-9]+(?:-[A-Z0-9]+)+\b/g;

interface MarketRow {
  readonly market_id: string;
  readonly base_asset: string | null;
}

/** The markets that there are, by what texts call them. */
export class KnownMarkets {
  private readonly ids: ReadonlySet<string>;
  /** By the code of their base asset, such as `BTC`. */
  private readonly idsOfAsset = new Map<string, string[]>();

  constructor(markets: readonly MarketRow[]) {
    this.ids = new Set(markets.map(({ market_id }) => market_id));
    for (const { market_id: marketId, base_asset: asset } of markets) {
      if (asset === null) continue;
      const ids = this.idsOfAsset.get(asset);
      if (ids === undefined) this.idsOfAsset.set(asset, [marketId]);
      else ids.push(marketId);
    }
  }

  /**
   * The ids of the markets that an entry of a feed names, in order: its categories are a market or the asset
   * that one trades, or its headline has a market's id or an asset's code with a `$`. Words that merely look
   * like a code say nothing.
   */
  namedBy(categories: readonly string[], headline: string): string[] {
    const names = [...categories, ...(headline.match(SYMBOLS_IN_TEXT) ?? [])];
    const symbols = names.flatMap((name) => {
      const symbol = name.trim().replace(/^\$/, '').toUpperCase();
      return this.ids.has(symbol) ? [symbol] : (this.idsOfAsset.get(symbol) ?? []);
    });
    return [...new Set(symbols)].sort();
  }
}

/**
 * Which markets news may be about. They are read where they are stored: the process that polls feeds need not
 * be the one that leads the core.
 */
@Injectable()
export class MarketSymbols {
  /** Throws `market_not_found` (404) where one of them is no market. */
  async requireMarkets(manager: EntityManager, symbols: readonly string[]): Promise<void> {
    if (symbols.length === 0) return;
    const rows = await manager.query<MarketRow[]>(
      'SELECT market_id FROM markets WHERE market_id = ANY ($1)',
      [symbols],
    );
    const known = new Set(rows.map(({ market_id }) => market_id));
    const unknown = symbols.find((symbol) => !known.has(symbol));
    if (unknown !== undefined)
      throw new ApiError(REFUSALS.market_not_found, `There is no market ${unknown}.`);
  }

  async known(manager: EntityManager): Promise<KnownMarkets> {
    return new KnownMarkets(await manager.query<MarketRow[]>('SELECT market_id, base_asset FROM markets'));
  }
}
