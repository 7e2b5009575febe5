/**
 * What readers see: markets and books as the last commit left them. While a batch is being made
 * durable the working state is ahead of this view, and nothing of that may be shown.
 */
import { invariant } from '../../domain/invariant.js';
import type { Changes } from '../../domain/engine/changes.js';
import type { EngineState, Market } from '../../domain/engine/state.js';
import type { BookChange, BookLevel, Side } from '../../domain/engine/types.js';
import type { AssetView, BookView, EventGroupView, MarketView } from './views.js';

/** One side of a book, worst price first, so that changes near the best are cheap. */
class ViewSide {
  private readonly levels: BookLevel[] = [];
  private readonly sign: 1 | -1;

  constructor(side: Side) {
    this.sign = side === 'buy' ? 1 : -1;
  }

  set(level: BookLevel): void {
    const [priceTicks, sizeLots] = level;
    const key = this.sign * priceTicks;
    let low = 0;
    let high = this.levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.sign * this.levels[middle]![0] < key) low = middle + 1;
      else high = middle;
    }
    const exists = this.levels[low]?.[0] === priceTicks;
    if (sizeLots === 0) {
      if (exists) this.levels.splice(low, 1);
    } else if (exists) this.levels[low] = level;
    else this.levels.splice(low, 0, level);
  }

  best(depth: number): BookLevel[] {
    return this.levels.slice(-depth).reverse();
  }

  get bestTicks(): number | undefined {
    return this.levels.at(-1)?.[0];
  }

  get depth(): number {
    return this.levels.length;
  }
}

class ViewMarket {
  readonly bids = new ViewSide('buy');
  readonly asks = new ViewSide('sell');

  constructor(
    public view: MarketView,
    public changedAtMs: number,
  ) {}

  static of(market: Market): ViewMarket {
    const result = new ViewMarket(viewOf(market), market.changedAtMs);
    for (const [side, levels] of [
      [result.bids, market.book.bids.levels],
      [result.asks, market.book.asks.levels],
    ] as const) {
      for (const level of levels) side.set([level.priceTicks, level.shownLots, level.orders]);
    }
    return result;
  }
}

/** What one batch changes in the view, as values. */
export interface ViewChange {
  readonly assets: readonly AssetView[];
  /** New ones, too: their books are among the changes of books. */
  readonly markets: readonly { readonly view: MarketView; readonly changedAtMs: number }[];
  readonly books: readonly BookChange[];
  readonly groups: readonly EventGroupView[];
}

export class CommittedView {
  readonly assets = new Map<string, AssetView>();
  readonly groups = new Map<string, EventGroupView>();
  private readonly byId = new Map<string, ViewMarket>();
  private sorted: MarketView[] | null = null;

  constructor(state: Pick<EngineState, 'assets' | 'markets' | 'groups'>) {
    for (const asset of state.assets.values()) this.assets.set(asset.code, asset);
    for (const group of state.groups.values()) this.groups.set(group.groupId, group);
    for (const market of state.markets.values())
      this.byId.set(market.definition.marketId, ViewMarket.of(market));
  }

  /** What a batch changes in views, taken while the working state is exactly there. */
  static changeOf({
    newAssets,
    markets,
    books,
    newGroups,
  }: {
    readonly [K in 'newAssets' | 'markets' | 'books' | 'newGroups']: Readonly<Changes[K]>;
  }): ViewChange {
    return {
      assets: newAssets,
      markets: markets.map((market) => ({ view: viewOf(market), changedAtMs: market.changedAtMs })),
      books,
      groups: newGroups,
    };
  }

  /** Moves on to what has just been committed. */
  apply({ assets, markets, books, groups }: ViewChange): void {
    for (const asset of assets) this.assets.set(asset.code, asset);
    for (const { view, changedAtMs } of markets) {
      const { marketId } = view.definition;
      const known = this.byId.get(marketId);
      if (known === undefined) this.byId.set(marketId, new ViewMarket(view, changedAtMs));
      else {
        invariant(
          view.bookSequence >= known.view.bookSequence,
          'the book that readers see goes forward',
          marketId,
          view.bookSequence,
          known.view.bookSequence,
        );
        known.view = view;
        known.changedAtMs = changedAtMs;
      }
    }
    for (const group of groups) this.groups.set(group.groupId, group);
    for (const change of books) this.applyBook(change);
    if (markets.length > 0) this.sorted = null;
  }

  /** In order of their ids. */
  markets(): readonly MarketView[] {
    this.sorted ??= [...this.byId.values()]
      .map(({ view }) => view)
      .sort((a, b) => (a.definition.marketId < b.definition.marketId ? -1 : 1));
    return this.sorted;
  }

  market(marketId: string): MarketView | undefined {
    return this.byId.get(marketId)?.view;
  }

  book(marketId: string, depth: number): BookView | undefined {
    const market = this.byId.get(marketId);
    if (market === undefined) return undefined;
    return {
      marketId,
      bookSequence: market.view.bookSequence,
      timeMs: market.changedAtMs,
      bids: market.bids.best(depth),
      asks: market.asks.best(depth),
    };
  }

  /** Price levels on both sides of every book, by market. */
  depths(): { readonly marketId: string; readonly bids: number; readonly asks: number }[] {
    return [...this.byId].map(([marketId, { bids, asks }]) => ({
      marketId,
      bids: bids.depth,
      asks: asks.depth,
    }));
  }

  private applyBook(change: BookChange): void {
    const market = this.byId.get(change.marketId);
    invariant(market !== undefined, 'readers know the market of a book', change.marketId);
    for (const level of change.bids) market.bids.set(level);
    for (const level of change.asks) market.asks.set(level);
    const { bestTicks: bid } = market.bids;
    const { bestTicks: ask } = market.asks;
    invariant(
      bid === undefined || ask === undefined || bid < ask,
      'no book that readers see is crossed',
      change.marketId,
      bid,
      ask,
    );
  }
}

function viewOf(market: Market): MarketView {
  return {
    definition: market.definition,
    status: market.status,
    bookSequence: market.bookSequence,
    lastPriceTicks: market.lastPriceTicks,
    openInterestLots: market.openInterestLots,
    settlementValue: market.settlementValue,
    settledAtMs: market.settledAtMs,
    groupId: market.group?.groupId ?? null,
  };
}
