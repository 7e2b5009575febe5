/**
 * How far one command goes, and how far figures may grow. They are part of what the engine is: with
 * another bound old commands would come out differently, so they are no settings. Tests lower them.
 */
export interface Bounds {
  /** Stops that one command runs; the rest follows in commands of their own, between those of others. */
  readonly triggersPerCommand: number;
  /** Triggered stops that wait for their turn; further ones wait for a price, which is remembered, until there is room. */
  readonly triggeredWaiting: number;
  /** The largest sum of lots: of a position with its open orders, of a side of a book, of an open interest. */
  readonly lots: number;
}

export const BOUNDS: Bounds = {
  triggersPerCommand: 100,
  triggeredWaiting: 1_000,
  lots: Number.MAX_SAFE_INTEGER,
};
