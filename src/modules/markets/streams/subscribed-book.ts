import type { BookView } from '../../../core/core.types.js';
import type { BookLevel, Side } from '../../../domain/engine/types.js';
import type { EncodedEvent } from '../../../kit/realtime/encoded-event.js';

/** What became of the levels within a depth; a size of 0 for those that are gone or fell out of it. */
export interface DepthChange {
  readonly previousSequence: number;
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

/** The best levels of a book up to a depth, as last sent to all subscriptions of this depth. */
export class SubscribedBook {
  subscribers = 0;
  /** Made once for all who ask before the book moves on. */
  snapshot: EncodedEvent | undefined;
  private sent: BookView;

  constructor(
    readonly depth: number,
    book: BookView,
  ) {
    this.sent = this.cut(book);
  }

  get book(): BookView {
    return this.sent;
  }

  /** Advances to the current book; returns the change, or undefined if nothing changed. */
  advance(book: BookView): DepthChange | undefined {
    const before = this.sent;
    if (book.bookSequence === before.bookSequence) return undefined;
    this.sent = this.cut(book);
    this.snapshot = undefined;
    return {
      previousSequence: before.bookSequence,
      bids: changesBetween(before.bids, this.sent.bids, 'buy'),
      asks: changesBetween(before.asks, this.sent.asks, 'sell'),
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
