import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { CoreService, type MarketDefinition } from '../../src/index.js';
import { invalidSymbol } from './binance-error.js';

/** A spot market under the name that the dialect has for it. */
export interface SymbolMarket {
  /** Base and quote asset without anything between, such as `BTCUSD`. */
  readonly symbol: string;
  readonly marketId: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
}

interface KnownSymbols {
  readonly bySymbol: ReadonlyMap<string, SymbolMarket>;
  readonly byMarketId: ReadonlyMap<string, SymbolMarket>;
}

/** Symbols of the dialect, which are those of the spot markets. */
@Injectable()
export class SymbolsService implements OnModuleInit, OnModuleDestroy {
  private known: KnownSymbols | undefined;
  private stopListening: () => void = () => undefined;

  constructor(private readonly core: CoreService) {}

  onModuleInit(): void {
    const hasNoInterest = (): boolean => false;
    let next = 0;
    this.stopListening = this.core.onCommitted(({ marketIds, firstSequence, lastSequence }) => {
      // Commits that were missed may have made markets, too.
      if (marketIds.length > 0 || firstSequence !== next) this.known = undefined;
      next = lastSequence + 1;
    }, hasNoInterest);
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /** In order of their markets' ids. */
  all(): SymbolMarket[] {
    return [...this.symbols().bySymbol.values()];
  }

  find(symbol: string): SymbolMarket | undefined {
    return this.symbols().bySymbol.get(symbol);
  }

  /** Throws -1121. */
  get(symbol: string): SymbolMarket {
    const market = this.find(symbol);
    if (market === undefined) throw invalidSymbol();
    return market;
  }

  /** All where none is named. Throws -1121. */
  list(symbols: readonly string[] | undefined): SymbolMarket[] {
    return symbols === undefined ? this.all() : symbols.map((symbol) => this.get(symbol));
  }

  /** `undefined` for event markets, which have no symbol. */
  ofMarket(marketId: string): SymbolMarket | undefined {
    return this.symbols().byMarketId.get(marketId);
  }

  private symbols(): KnownSymbols {
    return (this.known ??= knownSymbols(this.core.markets().map(({ definition }) => definition)));
  }
}

/** Where several markets have the same symbol it is that of the first, or of the one whose id is base and quote. */
function knownSymbols(definitions: readonly MarketDefinition[]): KnownSymbols {
  const bySymbol = new Map<string, SymbolMarket>();
  for (const { marketId, baseAsset, quoteAsset } of definitions) {
    if (baseAsset === null) continue;
    const symbol = `${baseAsset}${quoteAsset}`;
    if (bySymbol.has(symbol) && marketId !== `${baseAsset}-${quoteAsset}`) continue;
    bySymbol.set(symbol, { symbol, marketId, baseAsset, quoteAsset });
  }
  return { bySymbol, byMarketId: new Map([...bySymbol.values()].map((market) => [market.marketId, market])) };
}
