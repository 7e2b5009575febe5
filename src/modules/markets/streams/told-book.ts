import type { BookView } from '../../../core/core.types.js';
import type { BookLevel, Side } from '../../../domain/engine/types.js';

/** What became of the levels within a depth; a size of 0 for those that are gone or fell out of it. */
export interface ToldChange {
  readonly previousSequence: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** The best levels of a book, so many of each side, as everyone who follows it to this depth has been told. */
export class ToldBook {
  followers = 0;
  /** What the last snapshot looked like on the line; gone once the book has moved on. */
  snapshotJson: string | undefined;
  private told: BookView;

  constructor(
    readonly depth: number,
    book: BookView,
  ) {
    this.told = this.cut(book);
  }

  get book(): BookView {
    return this.told;
  }

  /** Moves on to the book as it is now; answers what that changes, and nothing where it has not moved. */
  advance(book: BookView): ToldChange | undefined {
    const before = this.told;
    if (book.bookSequence === before.bookSequence) return undefined;
    this.told = this.cut(book);
    this.snapshotJson = undefined;
    return {
      previousSequence: before.bookSequence,
      bids: changesBetween(before.bids, this.told.bids, 'buy'),
      asks: changesBetween(before.asks, this.told.asks, 'sell'),
    };
  }

  private cut(book: BookView): BookView {
    return { ...book, bids: book.bids.slice(0, this.depth), asks: book.asks.slice(0, this.depth) };
  }
}

/** Both best first. A level that has not changed is the same object in both, so most cost one comparison. */
function changesBetween(before: readonly BookLevel[], after: readonly BookLevel[], side: Side): BookLevel[] {
  const sign = side === 'buy' ? -1 : 1;
  const changes: BookLevel[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    const [old, now] = [before[i], after[j]];
    if (old === now) {
      i++;
      j++;
      continue;
    }
    // Negative where the old level is the better one, or the only one.
    const order = old === undefined ? 1 : now === undefined ? -1 : sign * (old[0] - now[0]);
    if (order < 0) changes.push([old![0], 0, 0]);
    else if (order > 0 || old![1] !== now![1] || old![2] !== now![2]) changes.push(now!);
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return changes;
}
