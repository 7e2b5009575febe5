import { createChart, LineSeries, type ISeriesApi, type UTCTimestamp } from 'lightweight-charts';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useStore } from '../store.js';
import { chartColours, SERIES_COLOURS } from './chart-colours.js';
import { colours } from './theme.jsx';

export interface Series {
  readonly name: string;
  /** In rising order of time. */
  readonly points: readonly { readonly atMs: number; readonly value: number }[];
}

interface SeriesChartProps {
  readonly title: string;
  readonly series: readonly Series[];
  /** How the latest value is told in words beside the picture, which screen readers do not see. */
  readonly format: (value: number) => string;
  readonly digits?: number;
}

/** Lines over time, drawn on as points are added. */
export function SeriesChart({ title, series, format, digits = 2 }: SeriesChartProps): JSX.Element {
  const picture = useRef<HTMLDivElement | null>(null);
  const lines = useRef<readonly ISeriesApi<'Line'>[]>([]);
  const theme = useStore(colours);
  const names = series.map(({ name }) => name).join('\n');
  useEffect(() => {
    const chart = createChart(picture.current!, {
      autoSize: true,
      handleScroll: { vertTouchDrag: false },
      ...chartColours(theme),
    });
    lines.current = series.map((_each, at) =>
      chart.addSeries(LineSeries, {
        color: SERIES_COLOURS[theme][at % SERIES_COLOURS[theme].length]!,
        lineWidth: 2,
        priceLineVisible: false,
        priceFormat: { type: 'price', precision: digits, minMove: 10 ** -digits },
      }),
    );
    draw(lines.current, series);
    chart.timeScale().fitContent();
    return () => chart.remove();
  }, [names, theme, digits]);
  useEffect(() => draw(lines.current, series), [series]);
  return (
    <figure class="series">
      <figcaption>
        <span class="title">{title}</span>
        {series.map(({ name, points }, at) => {
          const last = points.at(-1);
          return (
            <span key={name} class={`legend series-${at % SERIES_COLOURS.light.length}`}>
              {name} {last === undefined ? '–' : format(last.value)}
            </span>
          );
        })}
      </figcaption>
      <div ref={picture} class="picture" aria-hidden="true" />
    </figure>
  );
}

function draw(lines: readonly ISeriesApi<'Line'>[], series: readonly Series[]): void {
  for (const [at, line] of lines.entries()) {
    // One point a second at most: the last of it.
    const bySecond = new Map(series[at]?.points.map(({ atMs, value }) => [Math.floor(atMs / 1000), value]));
    line.setData([...bySecond].map(([time, value]) => ({ time: time as UTCTimestamp, value })));
  }
}
