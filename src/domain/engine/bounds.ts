/**
 * How much work one command does, and how far figures may grow. They are constants of the engine, not settings: with
 * other bounds a replay of old commands would give another result. Tests lower them.
 */
export interface Bounds {
  /** Stops that one command runs; later commands run the rest, so that others' commands come between. */
  readonly triggersPerCommand: number;
  /** Those of one party that run before the others have their turn. */
  readonly triggersPerTurn: number;
  /**
   * Triggered stops that may wait in the queue. Further stops stay untriggered until there is room; the traded prices
   * are remembered for them.
   */
  readonly triggeredWaiting: number;
  /**
   * Trailing stops that may wait in one market on one side: one trade may trigger them all. No party has more of them than
   * it leaves to others.
   */
  readonly trailingStops: number;
  /**
   * The largest sum of lots: of a position with its open orders, of one side of a book, of an open interest. Of a side of a
   * book no party has more than it leaves to others.
   */
  readonly lots: number;
}

export const BOUNDS: Bounds = {
  triggersPerCommand: 100,
  triggersPerTurn: 10,
  triggeredWaiting: 1_000,
  trailingStops: 5_000,
  lots: Number.MAX_SAFE_INTEGER,
};
