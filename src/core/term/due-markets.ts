/** What time and waiting stops call for in the markets of a term, but for those that are left out. */
import { type EngineState, type MarketDue, Order, type Market } from '../../domain/engine/state.js';

/** What a batch is to carry out of what is due. */
export interface DueTurn {
  /** The market of its first thing. */
  readonly marketId: string | null;
  /** Whether that is all there is to its first command. */
  readonly isSingle: boolean;
}

export class DueMarkets {
  /** Due work of excluded markets, by market. */
  private readonly leftOut = new Map<string, (Order | MarketDue)[]>();

  constructor(private readonly state: EngineState) {}

  /** When time alone next makes work, or null. */
  nextMs(): number | null {
    if (this.state.triggersWaiting.size > 0 || this.nextSettling() !== undefined) return 0;
    return this.state.due.peek()?.dueMs ?? null;
  }

  /** What comes next. */
  turn(): DueTurn {
    return { marketId: this.nextMarket(), isSingle: this.nextIsSingle() };
  }

  /** The market whose turn that is, or null. */
  private nextMarket(): string | null {
    const { triggersWaiting, due } = this.state;
    const [waiting] = triggersWaiting;
    const market = waiting ?? this.nextSettling() ?? due.peek()?.market;
    return market?.definition.marketId ?? null;
  }

  /** Whether the next due command has a single market to it, so that it need not be narrowed down. */
  private nextIsSingle(): boolean {
    return this.state.triggersWaiting.size > 0 || this.nextSettling() !== undefined;
  }

  /** The market whose holders are paid next, of those that are not left out. */
  nextSettling(): Market | undefined {
    for (const market of this.state.settling) {
      if (!this.leftOut.has(market.definition.marketId)) return market;
    }
    return undefined;
  }

  /** Takes what is due in a market out of the way of all others. */
  leaveOut(marketId: string): void {
    const { due } = this.state;
    const left = due.entries().filter(({ market }) => market.definition.marketId === marketId);
    for (const entry of left) due.remove(entry);
    this.leftOut.set(marketId, left);
  }

  /** Takes it in again, but for what is no longer to happen. */
  takeIn(marketId: string): void {
    for (const entry of this.leftOut.get(marketId) ?? []) {
      const isToCome = entry instanceof Order ? entry.isLive : entry.market.dues.includes(entry);
      if (isToCome) this.state.due.add(entry);
    }
    this.leftOut.delete(marketId);
  }
}
