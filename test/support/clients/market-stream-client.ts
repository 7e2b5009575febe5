import { expect } from 'vitest';
import { checksumOf, type LevelDto } from '../../../src/modules/markets/market-data/orderbook.dto.js';
import type { Json } from '../caller.js';

/** A client's copy of a book, built from a snapshot and updates alone. */
export class ClientBook {
  private bids = new Map<string, LevelDto>();
  private asks = new Map<string, LevelDto>();
  sequence = -1;
  snapshots = 0;
  updates = 0;

  constructor(private readonly depth = 50) {}

  apply(event: Json): void {
    if (event.type === 'l2.snapshot') {
      this.snapshots++;
      this.bids = new Map(event.data.bids.map((level: LevelDto) => [level[0], level]));
      this.asks = new Map(event.data.asks.map((level: LevelDto) => [level[0], level]));
    } else {
      this.updates++;
      expect(event.data.previous_sequence, 'no update may be missing').toBe(this.sequence);
      for (const level of event.data.bids) set(this.bids, level);
      for (const level of event.data.asks) set(this.asks, level);
    }
    this.sequence = event.sequence;
    expect(Math.max(this.bids.size, this.asks.size)).toBeLessThanOrEqual(this.depth);
    expect(checksumOf(this.best('bids', 10), this.best('asks', 10))).toBe(event.data.checksum);
  }

  best(side: 'bids' | 'asks', depth: number): LevelDto[] {
    const sign = side === 'bids' ? -1 : 1;
    return [...this[side].values()].sort((a, b) => sign * (Number(a[0]) - Number(b[0]))).slice(0, depth);
  }
}

function set(side: Map<string, LevelDto>, level: LevelDto): void {
  if (level[1] === '0') expect(side.delete(level[0]), 'only what was told may go').toBe(true);
  else side.set(level[0], level);
}
