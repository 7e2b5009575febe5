import type { LevelDto, MarketChange } from '../../../src/index.js';

type Level = readonly [price: string, size: string];

export interface DepthUpdate {
  readonly e: 'depthUpdate';
  readonly E: number;
  readonly s: string;
  readonly U: number;
  readonly u: number;
  readonly b: readonly Level[];
  readonly a: readonly Level[];
}

/** Changes of a book, summed up until they are told. */
export class DepthDiff {
  private firstId: number | undefined;
  private lastId = 0;
  private readonly bids = new Map<string, string>();
  private readonly asks = new Map<string, string>();

  constructor(private readonly symbol: string) {}

  add({ previous_sequence: previous, sequence, bids, asks }: MarketChange): void {
    this.firstId ??= previous + 1;
    this.lastId = sequence;
    set(this.bids, bids);
    set(this.asks, asks);
  }

  /** Everything since the last call; `undefined` where nothing has changed. */
  take(): DepthUpdate | undefined {
    if (this.firstId === undefined) return undefined;
    const update: DepthUpdate = {
      e: 'depthUpdate',
      E: Date.now(),
      s: this.symbol,
      U: this.firstId,
      u: this.lastId,
      b: [...this.bids],
      a: [...this.asks],
    };
    this.firstId = undefined;
    this.bids.clear();
    this.asks.clear();
    return update;
  }
}

function set(side: Map<string, string>, levels: readonly LevelDto[]): void {
  for (const [price, size] of levels) side.set(price, size);
}
