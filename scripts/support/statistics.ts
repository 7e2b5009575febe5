/** The smallest value that at least `share` (0 to 1) of the values do not exceed; NaN where there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** The middle value: what a noisy machine does in most rounds. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}
