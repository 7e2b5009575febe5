/** A number from 0 to below 1; the same row of them for the same seed on every machine. */
export type Random = () => number;

/** Mulberry32: small and fast. */
export function randomFrom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 to below the limit. */
export function below(random: Random, limit: number): number {
  return Math.floor(random() * limit);
}
