import type { JSX } from 'preact';

interface SparklineProps {
  readonly values: readonly number[];
  readonly label: string;
}

const WIDTH = 96;
const HEIGHT = 28;

/** A line without axes. */
export function Sparkline({ values, label }: SparklineProps): JSX.Element | null {
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const heightOf = (value: number): number =>
    high === low ? HEIGHT / 2 : HEIGHT - 2 - ((value - low) / (high - low)) * (HEIGHT - 4);
  const points = values.map(
    (value, at) => `${(at / (values.length - 1)) * WIDTH},${heightOf(value).toFixed(1)}`,
  );
  const direction = values.at(-1)! < values[0]! ? 'down' : 'up';
  return (
    <svg class={`sparkline ${direction}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <polyline points={points.join(' ')} />
    </svg>
  );
}
