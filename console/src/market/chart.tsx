import type { components } from '@tradepost/client';
import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { forDrawing } from '../decimal.js';
import { useLoaded } from '../live.js';
import { chartColours } from '../parts/chart-colours.js';
import { Choice } from '../parts/field.jsx';
import { colours } from '../parts/theme.jsx';
import { session } from '../session.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import type { TradesView } from './tape.jsx';

type CandleDto = components['schemas']['CandleDto'];

const SECONDS = { '1m': 60, '5m': 300, '15m': 900, '1h': 3_600, '4h': 14_400, '1d': 86_400 } as const;
type Interval = keyof typeof SECONDS;

const INTERVALS = Object.fromEntries(Object.keys(SECONDS).map((each) => [each, each])) as Record<
  Interval,
  string
>;
const CANDLES = 200;
/** At first; people zoom and scroll. A young market has room to grow. */
const CANDLES_SEEN = 80;
const CANDLES_AHEAD = 4;

/** A candle as the chart draws it. */
interface Candle {
  readonly time: UTCTimestamp;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

interface ChartProps {
  readonly marketId: string;
  readonly trades: TradesView;
  readonly digits: number;
}

export function Chart({ marketId, trades, digits }: ChartProps): JSX.Element {
  const [interval, setInterval] = useState<Interval>('1m');
  const { value: candles, failure } = useLoaded(`${marketId} ${interval}`, async (signal) => {
    const { data } = await session.value.client.get('/markets/{market_id}/candles', {
      params: { path: { market_id: marketId }, query: { interval, limit: CANDLES } },
      signal,
    });
    return data.map(drawn).sort((a, b) => a.time - b.time);
  });
  const picture = useRef<HTMLDivElement | null>(null);
  useDrawing(picture, candles, trades, SECONDS[interval], digits);
  return (
    <section class="chart">
      <div class="row">
        <h2>{words.market.chart}</h2>
        <Choice label={words.market.interval} value={interval} options={INTERVALS} onChange={setInterval} />
      </div>
      {failure !== undefined && <p role="alert">{failure}</p>}
      <div ref={picture} class="picture" aria-hidden="true" />
    </section>
  );
}

interface Drawing {
  readonly chart: IChartApi;
  readonly prices: ISeriesApi<'Candlestick'>;
  readonly volumes: ISeriesApi<'Histogram'>;
}

/** Draws the candles, and goes on with each trade that comes. */
function useDrawing(
  picture: { readonly current: HTMLDivElement | null },
  candles: readonly Candle[] | undefined,
  trades: TradesView,
  seconds: number,
  digits: number,
): void {
  const theme = useStore(colours);
  const drawing = useRef<Drawing | undefined>(undefined);
  const last = useRef<Candle | undefined>(undefined);
  const drawnTrades = useRef(trades.count);
  useEffect(() => {
    drawing.current = begin(picture.current!, digits);
    return () => drawing.current?.chart.remove();
  }, []);
  useEffect(() => drawing.current?.chart.applyOptions(chartColours(theme)), [theme]);
  useEffect(() => {
    if (candles === undefined || drawing.current === undefined) return;
    drawing.current.prices.setData([...candles]);
    drawing.current.volumes.setData(candles.map(({ time, volume }) => ({ time, value: volume })));
    drawing.current.chart.timeScale().setVisibleLogicalRange({
      from: candles.length - CANDLES_SEEN,
      to: candles.length + CANDLES_AHEAD,
    });
    last.current = candles.at(-1);
    drawnTrades.current = trades.count;
  }, [candles]);
  useEffect(() => {
    const fresh = trades.list.slice(0, trades.count - drawnTrades.current).reverse();
    drawnTrades.current = trades.count;
    if (drawing.current === undefined || candles === undefined) return;
    for (const { price, size, executed_at } of fresh) {
      const candle = including(
        last.current,
        forDrawing(price),
        forDrawing(size),
        Date.parse(executed_at) / 1000,
        seconds,
      );
      if (candle === undefined) continue;
      last.current = candle;
      drawing.current.prices.update({ ...candle });
      drawing.current.volumes.update({ time: candle.time, value: candle.volume });
    }
  }, [trades.count]);
}

function begin(element: HTMLElement, digits: number): Drawing {
  const chart = createChart(element, {
    autoSize: true,
    ...chartColours(colours.value),
  });
  const prices = chart.addSeries(CandlestickSeries, {
    priceFormat: { type: 'price', precision: digits, minMove: 10 ** -digits },
  });
  const volumes = chart.addSeries(HistogramSeries, {
    priceFormat: { type: 'volume' },
    priceScaleId: 'volume',
    color: 'rgba(120, 130, 150, 0.4)',
    lastValueVisible: false,
    priceLineVisible: false,
  });
  volumes.priceScale().applyOptions({ scaleMargins: { top: 0.8, bottom: 0 } });
  return { chart, prices, volumes };
}

function drawn({ start, open, high, low, close, volume }: CandleDto): Candle {
  return {
    time: (Date.parse(start) / 1000) as UTCTimestamp,
    open: forDrawing(open),
    high: forDrawing(high),
    low: forDrawing(low),
    close: forDrawing(close),
    volume: forDrawing(volume),
  };
}

/** The last candle with another trade in it, or a new one; undefined for a trade that came before it. */
function including(
  last: Candle | undefined,
  price: number,
  size: number,
  atSeconds: number,
  seconds: number,
): Candle | undefined {
  const start = (Math.floor(atSeconds / seconds) * seconds) as UTCTimestamp;
  if (last === undefined || start > last.time) {
    return { time: start, open: price, high: price, low: price, close: price, volume: size };
  }
  if (start < last.time) return undefined;
  return {
    ...last,
    high: Math.max(last.high, price),
    low: Math.min(last.low, price),
    close: price,
    volume: last.volume + size,
  };
}
