/** Of the straight line through values a minute apart, by least squares: what is added each minute. */
export function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let above = 0;
  let below = 0;
  for (const [minute, value] of values.entries()) {
    above += (minute - middle) * (value - mean);
    below += (minute - middle) ** 2;
  }
  return below === 0 ? 0 : above / below;
}
